"""Counts rectangles: slots times the longest answer."""

from labs.formulas import idle_steps, slot_waste, static_slot_steps

CAUSE = "until-longest"


def _batch(setting):
    lengths, slots = setting.lengths(), setting.config.rows
    return {
        "area": static_slot_steps(lengths, slots),
        "useful": sum(lengths),
        "waste": 100 * slot_waste(lengths, slots),
        "idle-first": idle_steps(lengths[0], max(lengths)),
        "idle-sixth": idle_steps(lengths[5], max(lengths)),
        # The engine yields the first token in the iteration that holds the prefill: 60 + 20 ms.
        "last-ttft": (len(lengths) * 60 + sum(lengths[:-1]) * 20 + 20) / 1000,
    }


def predict(settings):
    found = _batch(settings["main"])
    return {key: found[key] for key in ("waste", "idle-first", "idle-sixth", "last-ttft")}


def observe(settings, seen):
    return _batch(settings["main"])


def transfer(settings):
    own = settings["own"]
    return {"own-waste": 100 * slot_waste(own.lengths(), own.config.rows)}
