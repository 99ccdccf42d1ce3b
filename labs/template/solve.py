"""Solves the lab from formulas, without looking at the run."""

from labs.formulas import slot_waste, static_steps

CAUSE = "longest"


def predict(settings):
    main = settings["main"]
    return {"waste": 100 * slot_waste(main.lengths(), main.config.rows)}


def observe(settings, seen):
    main = settings["main"]
    return {**predict(settings), "steps": static_steps(main.lengths(), main.config.rows)}


def transfer(settings):
    own = settings["own"]
    return {"own-waste": 100 * slot_waste(own.lengths(), own.config.rows)}
