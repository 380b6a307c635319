# `make help` lists the targets. Each target prints the plain Python command that it runs.

VENV    ?= .venv
EXTRAS  ?= dev
RUNS    ?=
# An additional package index, to choose the build of torch. PyTorch's "get started" page has the addresses for CPU
# builds and for each CUDA version. If empty, pip uses only its default index.
TORCH_INDEX ?=

BIN   := $(VENV)/bin
# The name depends on the options, so that other options install again.
STAMP := $(VENV)/.installed-$(shell echo '$(EXTRAS) $(TORCH_INDEX)' | cksum | cut -d' ' -f1)
# Prints why a Python cannot be used, or an empty line. Debian and Ubuntu have venv in a package of its own.
WHY_NOT := import sys, importlib.util as u; v = "%d.%d" % sys.version_info[:2]; \
    print("is " + v if not (3, 11) <= sys.version_info[:2] <= (3, 13) else "" if u.find_spec("ensurepip") else \
    "lacks venv (on Debian and Ubuntu: apt-get install python" + v + "-venv)")

.DEFAULT_GOAL := help
.PHONY: help install demo test test-all check format tensorboard lab benchmark examples page notebook wheel clean

help:  ## print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'
	@echo "  Options: TORCH_INDEX=ADDRESS (for a CPU or CUDA build of torch), RUNS=FOLDER (for tensorboard, as in"
	@echo "  RUNS=multirun/rnn), ARGS='...' (for lab, benchmark and page)."

install: $(STAMP)  ## make the virtual environment .venv with pinned versions

# An existing command may fail to run (a shim of pyenv), so each candidate is started to check its version.
$(VENV)/bin/python:
	@for python in python3.13 python3.12 python3.11 python3; do \
	    why=$$($$python -c '$(WHY_NOT)' 2>/dev/null) || continue; \
	    if [ -z "$$why" ]; then \
	        echo "$$($$python -V) ($$(command -v $$python)): making $(VENV)"; exec $$python -m venv $(VENV); \
	    fi; \
	    found="$$found; $$python $$why"; \
	done; \
	echo "error: needs Python 3.11, 3.12 or 3.13 with venv$${found:-; found no python3}; install one of them and run" \
	    "make again" >&2; exit 2

$(STAMP): $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

demo: $(STAMP)  ## train on the embedded corpus (3 minutes), evaluate, translate, draw attention; no network
	$(BIN)/python scripts/demo.py

test: $(STAMP)  ## run the fast tests, without a network
	$(BIN)/python -m pytest -n auto --maxprocesses=4 --dist worksteal

test-all: $(STAMP)  ## run all tests, also the slow ones
	$(BIN)/python -m pytest -m ''

check: $(STAMP)  ## run ruff (lint and format), mypy --strict, import-linter (layers of the architecture), and the budget of lines
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/budget.py

format: $(STAMP)  ## format the code and apply ruff's fixes
	$(BIN)/python -m ruff format .
	$(BIN)/python -m ruff check --fix .

# By default TensorBoard drops all but ten pictures of a kind. 0 would drop them all.
tensorboard: $(STAMP)  ## show the runs in outputs/ and multirun/, with the pictures of every validation
	$(BIN)/tensorboard $(if $(RUNS),--logdir '$(subst ','\'',$(RUNS))',--logdir_spec outputs:outputs,multirun:multirun) --samples_per_plugin images=1000000,text=1000000

lab: $(STAMP)  ## measure the claims about attention: trainings with several seeds, and a page; stops and goes on
	$(BIN)/python scripts/lab.py $(ARGS)

benchmark: $(STAMP)  ## measure the speed of training and translation
	$(BIN)/python scripts/benchmark.py $(ARGS)

examples: $(STAMP)  ## train the four small models of examples/ anew (some minutes each, no network)
	$(BIN)/python scripts/examples.py

page: $(STAMP)  ## write docs/page.html, three models side by side; it needs Multi30k: ARGS=data.path=FOLDER
	rm -f docs/page.new.html
	$(BIN)/python scripts/export.py format=html out=docs/page.new.html text="A man playing an instrument next to a tree." \
	    'ckpt=[examples/captions_bahdanau,examples/captions_luong,examples/captions_transformer]' $(ARGS)
	mv docs/page.new.html docs/page.html

notebook: $(STAMP)  ## run docs/attention.ipynb, and store what its cells print and draw
	$(BIN)/python scripts/notebook.py

wheel: $(STAMP)  ## build a wheel and a source distribution in dist/
	$(BIN)/python -m build

clean:  ## remove caches and builds; keep runs and .venv
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
