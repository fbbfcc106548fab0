# Every command a developer needs. `make` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/sh

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

PAGES := README.md $(wildcard docs/*.md) docs/decisions/README.md

# For `make run`: the repository to index, and what to ask it.
REPO ?= .
Q ?= how are errors handled
# For `make bench`: labelled queries, in the layout that docs/evaluation.md describes.
MANIFEST ?=
PEER_PYTHON ?=

.PHONY: help run test check format lint types docs docs-check golden bench soak install clean

help: ## List these commands.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/.runtime ## Start the daemon, index REPO (this project when not given) and ask it Q.
	@$(BIN)/gortex index "$(REPO)" --try "$(Q)"

test: $(VENV)/.development ## Run the tests on two processes.
	@$(BIN)/python -m pytest -n 2

check: lint types docs-check test ## Run every check: style, layers, types, docs, tests.

install: $(VENV)/.development ## Make the environment in .venv, with the tools of development.

format: $(VENV)/.development ## Lay out the code.
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

lint: $(VENV)/.development ## Check style, layout and import contracts.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports

types: $(VENV)/.development ## Check types.
	@$(BIN)/mypy

docs: $(VENV)/.development ## Rewrite the generated parts of the docs.
	@$(BIN)/cog -r -P -I docs $(PAGES)

docs-check: $(VENV)/.development ## Check that the generated parts of the docs are up to date.
	@$(BIN)/cog --check -P -I docs $(PAGES)

golden: $(VENV)/.development ## Rewrite the rankings of the golden corpus; look at the difference.
	@$(BIN)/python -m pytest tests/golden --update-golden

bench: $(VENV)/.development ## Measure quality and speed on MANIFEST=FILE, beside a peer in PEER_PYTHON=PATH.
	@if [ -z "$(MANIFEST)" ]; then echo "name the labelled queries: make bench MANIFEST=FILE" >&2; exit 2; fi
	$(BIN)/python -m pytest -m bench tests/surfaces tests/bench/test_tools.py
	$(BIN)/gortex eval quality --manifest "$(MANIFEST)"
	$(BIN)/python -m tests.bench.speed --manifest "$(MANIFEST)" $(if $(PEER_PYTHON),--peer-python "$(PEER_PYTHON)")
	$(BIN)/python -m tests.bench.visible
	$(BIN)/python -m tests.bench.typos --manifest "$(MANIFEST)"
	$(BIN)/python -m tests.bench.names --manifest "$(MANIFEST)"

soak: $(VENV)/.development ## Run the long tests: crashes, storms of edits, generated requests.
	@$(BIN)/python -m pytest -m soak --timeout 0 tests

clean: ## Remove the environment and every cache.
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage dist

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "Python 3.11 or newer is needed; name one: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@echo "making the environment in $(VENV)" >&2
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: pyproject.toml | $(VENV)/bin/python
	@echo "installing gortex and what it needs" >&2
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.development: pyproject.toml | $(VENV)/bin/python
	@echo "installing gortex and the tools of development" >&2
	@$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/.runtime
