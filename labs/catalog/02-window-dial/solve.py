"""The batch's first request opens the window; those that come in it get on."""

CAUSE = "busy"


def predict(settings):
    rate, window_s = settings["window"].rate_per_s, 0.1
    return {
        "batch": 1.2,
        "batch-window": 1 + rate * window_s,
        "wait-window": 1000 * window_s,
        "chats": "it grows without end",
    }


def observe(settings, seen):
    main, window, full = seen["main"], seen["window"], seen["full-none"]
    return {
        "batch": main["mean_batch"],
        "batch-window": window["mean_batch"],
        "wait": main["queue_ms.mean"],
        "wait-window": window["queue_ms.mean"],
        "worst-window": window["queue_ms.max"],
        "batch-full": full["mean_batch"],
        "batch-full-window": seen["full"]["mean_batch"],
        "chats": "it grows without end",
    }


def transfer(settings):
    own = settings["own"]
    return {"own-batch": 1 + own.rate_per_s * own.config.max_queue_delay_ms / 1000}
