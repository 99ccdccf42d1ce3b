"""Divides the pool by what a sequence holds."""

from statistics import fmean

from labs.formulas import mean_resident, resident_by_blocks

CAUSE = "blocks"


def _capped(setting):
    """(resident, steps) of equal requests that reserve all they need."""
    request, config = setting.requests[0], setting.config
    tokens = request.prompt_len + request.output_len - 1
    resident = min(config.rows, resident_by_blocks(config.kv_blocks, config.block_size, tokens))
    return resident, -(-len(setting.requests) // resident) * request.output_len


def predict(settings):
    (resident, _), (half, steps_half) = _capped(settings["main"]), _capped(settings["half"])
    return {"resident": resident, "resident-half": half, "steps-half": steps_half}


def observe(settings, seen):
    resident, steps = _capped(settings["main"])
    return {
        **predict(settings),
        "resident": resident,
        "steps": steps,
        "resident-ample": _capped(settings["ample"])[0],
    }


def transfer(settings):
    own = settings["own"]
    tokens = own.config.kv_blocks * own.config.block_size
    prompts = fmean(request.prompt_len for request in own.requests)
    return {"own-running": mean_resident(tokens, prompts, fmean(own.lengths()))}
