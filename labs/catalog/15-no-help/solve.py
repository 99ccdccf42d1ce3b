"""No queue, no gain."""

from labs.formulas import fcfs_steps, slot_waste, static_steps

CAUSE = "both"


def predict(settings):
    static, main = settings["static"], settings["main"]
    steps = static_steps(static.lengths(), static.config.rows)
    return {
        "waste": 100 * slot_waste(static.lengths(), static.config.rows),
        "gain": steps / fcfs_steps(main.lengths(), main.config.rows),
        "single": len(settings["single"].requests),
    }


def observe(settings, seen):
    main = settings["main"]
    steps = fcfs_steps(main.lengths(), main.config.rows)
    found = predict(settings)
    return {"waste": found["waste"], "static-steps": steps, "steps": steps, "single": found["single"]}


def transfer(settings):
    own = settings["own"]
    return {"own-gain": 1.0, "own-waste": 100 * slot_waste(own.lengths(), own.config.rows)}
