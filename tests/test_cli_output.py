"""Standard output that is full or closed: a sentence and exit code 1, never a traceback."""

import os
import subprocess
import sys

import pytest

COMMANDS = (["bank", "list"], ["engine", "run", "--json"], ["bank", "check", "--json"])


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_output_is_said_in_one_sentence(command, tmp_path):
    environment = {**os.environ, "QUIZAPP_HOME": str(tmp_path)}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "quizapp", *command], stdout=full, stderr=subprocess.PIPE, text=True, env=environment
        )
    assert done.returncode == 1
    assert done.stderr == "quizapp: cannot write the output (No space left on device)\n"


def test_a_closed_output_is_no_error_of_the_command(tmp_path):
    environment = {**os.environ, "QUIZAPP_HOME": str(tmp_path)}
    command = f"{sys.executable} -m quizapp bank list >&-"
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
