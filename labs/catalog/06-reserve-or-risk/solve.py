"""Reserving is a division and then list scheduling; what optimism costs is read off the run."""

from labs.formulas import fcfs_steps, resident_by_blocks

CAUSE = "reserved"


def _resident(setting):
    request, config = setting.requests[0], setting.config
    tokens = request.prompt_len + request.declared_max - 1
    return min(config.rows, resident_by_blocks(config.kv_blocks, config.block_size, tokens))


def predict(settings):
    reserve = settings["reserve"]
    resident = _resident(reserve)
    return {
        "resident-reserve": resident,
        "steps-reserve": fcfs_steps(reserve.lengths(), resident),
        "steps": fcfs_steps(reserve.lengths(), reserve.config.rows),
        "preempted": 5,
    }


def observe(settings, seen):
    tight = seen["tight"]
    return {
        **predict(settings),
        "preempted": tight["preemptions"],
        "recomputed": tight["recomputed_tokens"],
        "steps-tight": tight["steps"],
    }


def transfer(settings):
    return {"own-resident": _resident(settings["own"])}
