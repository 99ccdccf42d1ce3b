"""Gives each request, in order, the slot that is free first."""

from labs.formulas import fcfs_steps, makespan_bound, static_steps

CAUSE = "queue-empty"


def _counted(setting):
    """(steps, completions backfilled, step in which the last request starts), by list scheduling."""
    lengths, slots = setting.lengths(), setting.config.rows
    free, last = [0] * slots, 0
    for length in lengths:
        last = min(free)
        free[free.index(last)] = last + length
    return fcfs_steps(lengths, slots), len(lengths) - slots, last + 1


def predict(settings):
    steps, backfilled, _ = _counted(settings["main"])
    lengths, slots = settings["static"].lengths(), settings["static"].config.rows
    return {"steps": steps, "gain": static_steps(lengths, slots) / steps, "backfilled": backfilled}


def observe(settings, seen):
    steps, backfilled, start = _counted(settings["main"])
    lengths, slots = settings["static"].lengths(), settings["static"].config.rows
    static = static_steps(lengths, slots)
    return {
        "static-steps": static,
        "steps": steps,
        "gain": static / steps,
        "utilization": 100 * sum(lengths) / (slots * steps),
        "backfilled": backfilled,
        "start-last": start,
    }


def transfer(settings):
    """By the rule of thumb of the hints: the work spread over the slots, and half the longest as the tail."""
    own = settings["own"]
    lengths, slots = own.lengths(), own.config.rows
    return {"own-steps": max(makespan_bound(lengths, slots), sum(lengths) / slots + max(lengths) / 2)}
