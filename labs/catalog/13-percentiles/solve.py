"""Percentiles are read off; the number running follows from Little's law."""

from statistics import fmean

from labs.formulas import littles_law

CAUSE = "bursts"


def predict(settings):
    return {"median": 10, "median-loaded": 15, "tail-growth": 20}


def observe(settings, seen):
    half, loaded = seen["main"], seen["loaded"]
    setting = settings["loaded"]
    seconds = loaded["e2e_ms.mean"] / 1000
    return {
        "median": half["queue_ms.p50"],
        "p99": half["queue_ms.p99"],
        "median-loaded": loaded["queue_ms.p50"],
        "p99-loaded": loaded["queue_ms.p99"],
        "in-system": littles_law(len(setting.requests) / loaded["duration_s"], seconds),
    }


def transfer(settings):
    own = settings["own"]
    token_s = 0.020 / (1 - own.rate_per_s * 0.060)
    return {"own-running": littles_law(own.rate_per_s, fmean(own.lengths()) * token_s)}
