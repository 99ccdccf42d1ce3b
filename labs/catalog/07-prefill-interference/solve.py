"""An iteration lasts as long as what is in it."""

from labs.formulas import chunk_iteration_ms, chunked_ttft_ms

CAUSE = "fixed"


def _times(setting):
    prompt = setting.requests[-1].prompt_len
    chunk = min(setting.config.chunk, prompt)
    return chunk_iteration_ms(chunk, 0.3, 20), chunked_ttft_ms(prompt, chunk, 0.3, 20)


def predict(settings):
    gap, ttft = _times(settings["main"])
    return {"gap-whole": _times(settings["whole"])[0], "gap": gap, "ttft": ttft}


def observe(settings, seen):
    (whole, ttft_whole), (small, ttft_small) = _times(settings["whole"]), _times(settings["small"])
    return {
        **predict(settings),
        "gap-whole": whole,
        "ttft-whole": ttft_whole,
        "gap-small": small,
        "ttft-small": ttft_small,
    }


def transfer(settings):
    gap, ttft = _times(settings["own"])
    return {"own-gap": gap, "own-ttft": ttft}
