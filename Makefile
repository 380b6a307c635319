# make help says what there is. The plain Python command of each target is the one that it echoes.

VENV    ?= .venv
EXTRAS  ?= dev
RUNS    ?= outputs
# Another index beside pip's own, to choose the build of torch: the address of PyTorch's index of CPU builds, or of one
# CUDA version, as its "get started" page gives it. Empty: whatever pip's own index has.
TORCH_INDEX ?=

BIN   := $(VENV)/bin
# Other extras or another build of torch are another installation.
STAMP := $(VENV)/.installed-$(shell echo '$(EXTRAS) $(TORCH_INDEX)' | cksum | cut -d' ' -f1)
USABLE := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))

.DEFAULT_GOAL := help
.PHONY: help install demo test test-all check format tensorboard benchmark wheel clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'
	@echo "  Options: TORCH_INDEX=address (a CPU or CUDA build of torch), EXTRAS=dev,fonts (a font for Korean,"
	@echo "  Japanese and Chinese attention maps), RUNS=folder (for tensorboard), ARGS='...' (for benchmark)."

install: $(STAMP)  ## the virtual environment .venv with pinned versions

# A command that exists need not run (pyenv's shims), so each candidate is asked for its version.
$(VENV)/bin/python:
	@for python in python3.13 python3.12 python3.11 python3; do \
	    if $$python -c '$(USABLE)' >/dev/null 2>&1; then \
	        echo "$$($$python -V) ($$(command -v $$python)): making $(VENV)"; exec $$python -m venv $(VENV); \
	    fi; \
	done; \
	echo "error: found no Python 3.11, 3.12 or 3.13 with venv (looked for python3.13, python3.12, python3.11, python3);" \
	    "install one (on Debian and Ubuntu: apt-get install python3.11-venv) and call make again" >&2; exit 2

$(STAMP): $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

demo: $(STAMP)  ## train on the embedded corpus (3 minutes), evaluate, translate, draw attention; no network
	$(BIN)/python scripts/demo.py

test: $(STAMP)  ## the fast tests, offline
	$(BIN)/python -m pytest -n auto --maxprocesses=4

test-all: $(STAMP)  ## all tests, the slow ones too
	$(BIN)/python -m pytest -m ''

check: $(STAMP)  ## ruff (lint and format), mypy --strict, and the layers of the architecture
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-logo

format: $(STAMP)  ## let ruff format and mend what it can
	$(BIN)/python -m ruff format .
	$(BIN)/python -m ruff check --fix .

tensorboard: $(STAMP)  ## look at the runs in outputs/
	$(BIN)/tensorboard --logdir $(RUNS)

benchmark: $(STAMP)  ## speed of training and translation on this machine
	$(BIN)/python scripts/benchmark.py $(ARGS)

wheel: $(STAMP)  ## a wheel and a source distribution in dist/
	$(BIN)/python -m build

clean:  ## caches and builds; runs and .venv stay
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
