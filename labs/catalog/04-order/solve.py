"""List scheduling in three orders."""

from labs.formulas import fcfs_steps, lpt_steps, makespan_bound, sjf_steps

CAUSE = "two-goals"


def _mean_end(lengths, slots):
    free, ends = [0] * slots, []
    for length in lengths:
        start = min(free)
        free[free.index(start)] = start + length
        ends.append(start + length)
    return sum(ends) / len(ends)


def _steps(setting):
    lengths, slots = setting.lengths(), setting.config.rows
    return {"fcfs": fcfs_steps(lengths, slots), "sjf": sjf_steps(lengths, slots), "lpt": lpt_steps(lengths, slots)}


def predict(settings):
    return _steps(settings["main"])


def observe(settings, seen):
    lengths, slots = settings["main"].lengths(), settings["main"].config.rows
    return {
        **_steps(settings["main"]),
        "mean-sjf": _mean_end(sorted(lengths), slots),
        "mean-lpt": _mean_end(sorted(lengths, reverse=True), slots),
    }


def transfer(settings):
    own = settings["own"]
    return {"own-steps": makespan_bound(own.lengths(), own.config.rows)}
