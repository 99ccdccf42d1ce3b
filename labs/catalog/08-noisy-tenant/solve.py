"""Equal requests run in rounds; the question is in which round people get their slots."""

CAUSE = "conserving"
ARRIVAL_STEP = 10


def _waits(setting):
    """Steps of the slowest human (first come, least service) and of the whole run."""
    agents = [r.output_len for r in setting.requests if r.tenant == "agent"]
    human = next(r.output_len for r in setting.requests if r.tenant == "human")
    rounds = -(-len(agents) // setting.config.rows)
    last = rounds * agents[0] + human
    return last - ARRIVAL_STEP, agents[0] + human - ARRIVAL_STEP, last


def predict(settings):
    wait, fair, total = _waits(settings["main"])
    return {"wait": wait, "wait-fair": fair, "total-fair": total}


def observe(settings, seen):
    urgent = next(r.output_len for r in settings["urgent"].requests if r.tenant == "human")
    humans = sum(r.tenant == "human" for r in settings["urgent"].requests)
    total = _waits(settings["main"])[2]
    capped = settings["capped"]
    cap, slots = capped.config.tenant_slots, capped.config.rows
    agents = [r.output_len for r in capped.requests if r.tenant == "agent"]
    left = {"wait-capped": -(-humans // (slots - cap)) * urgent, "total-capped": -(-len(agents) // cap) * agents[0]}
    return {**predict(settings), "wait-urgent": urgent, "total": total, "preempted": humans, **left}


def transfer(settings):
    wait, fair, _ = _waits(settings["own"])
    return {"own-wait": wait, "own-wait-fair": fair}
