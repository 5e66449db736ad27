# Two commands do all the set-up: `make demo` and `make test`. Each makes its own virtual environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check docs schema clean

demo: $(VENV)/installed
	$(BIN)/metaphrase demo

test: $(VENV)/installed-dev check
	$(BIN)/python -m pytest -n auto

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# What is written from the code: the command reference and the schema of metaphrase.toml.
docs: schema
	$(BIN)/python scripts/write_command_reference.py

schema: $(VENV)/installed-dev
	$(BIN)/python scripts/write_schema.py

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("Metaphrase needs Python 3.11 or newer; name one with make PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/installed-dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
