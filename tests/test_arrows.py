"""The arrows between the rooms (DESIGN section 2), kept by reading the imports; and what no start-up may load."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

SHARED = {"quizapp", "quizapp.clock", "quizapp.text", "quizapp.settings", "quizapp.output"}
"""Small modules that belong to no room: the version, the clock, cleaning of text, settings, printing."""

ROOMS: dict[str, set[str]] = {
    "quizapp.bank": {"labs.formulas"},
    "quizapp.memory": {"quizapp.bank"},
    "quizapp.exam": {"quizapp.bank", "quizapp.memory"},
    "quizapp.progress": {"quizapp.bank", "quizapp.memory"},
    "quizapp.store": set(),
    "quizapp.study": {"quizapp.store", "quizapp.exam", "quizapp.progress", "quizapp.memory", "quizapp.bank", "labs"},
    "quizapp.plain": {"quizapp.study", "quizapp.store", "quizapp.exam", "quizapp.memory", "quizapp.bank", "labs"},
    "quizapp.tui": {"quizapp", "labs"},
    "quizapp.commands": {"quizapp", "labs"},
    "labs.engine": {"labs.formulas"},
    "labs": {"labs"},
}
"""What a room may import besides itself and the shared modules. A name stands for everything below it."""

PURE = ("quizapp.bank", "quizapp.memory", "quizapp.exam", "quizapp.progress")
IMPURE = {
    "sqlite3",
    "sqlalchemy",
    "sqlmodel",
    "alembic",
    "textual",
    "torch",
    "typer",
    "time",
    "subprocess",
    "threading",
}
"""Modules that a pure room has no business with: the store, the screen, the clock on the wall."""


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {
    module_name(path): path
    for package in ("quizapp", "labs")
    for path in sorted((ROOT / package).rglob("*.py"))
    if "migrations" not in path.parts
}


def imports(path: Path, module: str) -> Iterator[tuple[str, int, bool]]:
    """(module, line, whether it is imported when the file is) of each import, `TYPE_CHECKING` blocks left out."""

    def walk(node: ast.AST, top: bool) -> Iterator[tuple[str, int, bool]]:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.orelse:
                yield from walk(child, top)
            return
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno, top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
                base = ".".join([*package[: len(package) - node.level + 1], *([base] if base else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield (full if full in SOURCES else base, node.lineno, top)
        inner = top and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from walk(child, inner)

    yield from walk(ast.parse(path.read_text("utf-8")), True)


def below(module: str, names: set[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in names)


def room_of(module: str) -> str | None:
    return max((room for room in ROOMS if below(module, {room})), key=len, default=None)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_its_arrows_allow(room: str) -> None:
    own = {name: path for name, path in SOURCES.items() if room_of(name) == room}
    assert own, f"{room} has no modules"
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {target}"
        for name, path in own.items()
        for target, line, _ in imports(path, name)
        if target.split(".")[0] in ("quizapp", "labs")
        if not below(target, {room} | ROOMS[room]) and target not in SHARED
    ]
    assert wrong == []


def test_labs_never_import_quizapp() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for name, path in SOURCES.items()
        if name.startswith("labs")
        for target, line, _ in imports(path, name)
        if below(target, {"quizapp"})
    ]
    assert wrong == []


def test_only_the_tui_imports_textual() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for name, path in SOURCES.items()
        if not below(name, {"quizapp.tui"})
        for target, line, _ in imports(path, name)
        if target.split(".")[0] == "textual"
    ]
    assert wrong == []


def test_torch_is_imported_only_in_the_engine() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for name, path in SOURCES.items()
        if not below(name, {"labs.engine"})
        for target, line, _ in imports(path, name)
        if target.split(".")[0] == "torch"
    ]
    assert wrong == []


@pytest.mark.parametrize("room", PURE)
def test_pure_rooms_have_no_store_screen_or_clock(room: str) -> None:
    wrong = []
    for name, path in SOURCES.items():
        if not below(name, {room}):
            continue
        wrong += [
            f"{path.relative_to(ROOT)}:{line} imports {target}"
            for target, line, _ in imports(path, name)
            if target.split(".")[0] in IMPURE
        ]
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if called in ("datetime.now", "datetime.utcnow", "date.today", "random.random", "random.shuffle"):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} calls {called}")
    assert wrong == []


def test_command_modules_import_rooms_inside_their_functions() -> None:
    rooms = set(ROOMS) - {"quizapp.commands"}
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {target} at the top"
        for name, path in SOURCES.items()
        if below(name, {"quizapp.commands", "quizapp.cli", "quizapp.__main__", "quizapp.output"})
        for target, line, top in imports(path, name)
        if top and below(target, rooms)
    ]
    assert wrong == []


def test_the_reader_of_imports_sees_what_it_should(tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    path.write_text(
        "import a\nfrom b import c\nif TYPE_CHECKING:\n    import hidden\nelse:\n    import d\n"
        "def f():\n    import e\nfrom . import g\n"
    )
    assert list(imports(path, "quizapp.sample")) == [
        ("a", 1, True),
        ("b", 2, True),
        ("d", 6, True),
        ("e", 8, False),
        ("quizapp", 9, True),
    ]


def loaded_by(tmp_path: Path, *arguments: str) -> set[str]:
    """Top-level modules that a command loads, in a process of its own."""
    code = (
        "import sys, atexit\n"
        "loaded = lambda: sorted({name.split('.')[0] for name in sys.modules})\n"
        "atexit.register(lambda: print('\\nLOADED', *loaded(), file=sys.stderr))\n"
        f"sys.argv = ['quizapp', *{list(arguments)!r}]\n"
        "from quizapp.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        env={"PATH": "", "QUIZAPP_HOME": str(tmp_path), "LANG": "C.UTF-8"},
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.rpartition("\nLOADED ")[2].split())


HEAVY = {"textual", "torch", "numpy", "transformers"}


def test_the_version_loads_almost_nothing(tmp_path: Path) -> None:
    loaded = loaded_by(tmp_path, "--version")
    assert loaded & (HEAVY | {"typer", "pydantic", "yaml", "sqlalchemy", "sqlmodel", "rich"}) == set()
    assert "quizapp" in loaded


@pytest.mark.parametrize(
    "arguments", [["bank", "list", "--json"], ["bank", "check", "--json"], ["stats", "--json"]], ids=" ".join
)
def test_json_reads_load_no_screen_and_no_torch(tmp_path: Path, arguments: list[str]) -> None:
    assert loaded_by(tmp_path, *arguments) & HEAVY == set()
