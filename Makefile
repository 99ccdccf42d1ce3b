# Everything a newcomer needs: `make run` and `make test`. Each sets up .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= 2

.PHONY: run test prove lint bench install clean format

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "quizapp needs Python 3.11 or newer; this is %s. Try: make PYTHON=python3.12 $(MAKECMDGOALS)" % sys.version.split()[0])'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing quizapp and its test tools into $(VENV) (torch is the large one; a minute or two) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $(STAMP)

run: install
	@$(BIN)/quizapp

test: install
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m 'not prove' tests

prove: install
	$(BIN)/python -m pytest -m prove tests

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: install
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache build dist
