# `make` alone lists the commands. `make run` and `make test` set up what they need on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
TEST_DATA := $(CURDIR)/.test-data
# What the desk does has its own tests here (pyproject.toml names what is watched).
DESK_TESTS := tests/unit/access tests/unit/actions tests/unit/worker/jobs tests/unit/worker/queue \
  tests/integration/test_audit_evidence.py tests/integration/test_formats.py tests/integration/test_spool.py \
  tests/integration/test_record_on_postgres.py::test_a_purchase_alone_is_one_statement
# Of these the suite asks a part.
SAMPLED := tests/faults tests/integration/test_fuzz.py tests/integration/test_url_matrix.py tests/integration/test_foreign_ids.py \
  tests/integration/test_full_disk.py tests/integration/test_budget_races.py tests/engine/test_contracts.py tests/engine/dp/test_audits.py \
  tests/engine/search/test_optimal.py tests/functional/test_pages.py
SITE_CHECK := STEWARD_SITE=1 STEWARD_HOSTS=desk.example.org STEWARD_SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(64))') STEWARD_DATA=$(TEST_DATA)
export STEWARD_DATA ?= $(CURDIR)/data

.DEFAULT_GOAL := help
.PHONY: help run test coverage one types check fix docs demo bench bench-check faults up containers lock vendor browser proxies store docker clean

help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

run: $(VENV)/ready ## Start the release desk on this machine (STEWARD_PORT, STEWARD_DATA)
	@[ ! -t 0 ] || set -m; $(BIN)/python manage.py run # a job of its own: Ctrl-C reaches it and not make

demo: $(VENV)/ready ## Load the demo project into the data directory
	@$(BIN)/python manage.py migrate --verbosity 0 && $(BIN)/python manage.py demo

test: $(VENV)/dev browser proxies store ## Run the whole test suite; prints the slowest tests
	@STEWARD_DATA=$(TEST_DATA) $(BIN)/python -m pytest

coverage: $(VENV)/dev ## Branches the tests take: all of what the desk does, 95 % of the engine's
	@STEWARD_DATA=$(TEST_DATA) $(BIN)/python -m pytest $(DESK_TESTS) --cov --cov-report=term-missing --cov-fail-under=100
	@STEWARD_DATA=$(TEST_DATA) $(BIN)/python -m pytest tests/engine --cov=worker/engine \
	  --cov-config=tests/engine/branches.ini --cov-report=json:$(TEST_DATA)/branches.json
	@$(BIN)/python -m tests.engine.branches $(TEST_DATA)/branches.json

one: $(VENV)/dev ## Run one file, folder or test in this terminal: make one TEST=tests/unit/access
	@STEWARD_DATA=$(TEST_DATA) $(BIN)/python -m pytest -n 0 -x $(TEST)

types: $(VENV)/dev ## Check the types alone
	$(BIN)/mypy

check: $(VENV)/dev ## Format, lint, types, layers, deploy settings, migrations, generated docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(SITE_CHECK) $(BIN)/python manage.py check --deploy --fail-level WARNING
	STEWARD_DATA=$(TEST_DATA) $(BIN)/python manage.py makemigrations --check --dry-run
	STEWARD_DATA=$(TEST_DATA) $(BIN)/python manage.py generate_docs --check
	@$(BIN)/python -m tests.architecture.vulnerabilities

fix: $(VENV)/dev ## Format and mend what a machine can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/dev ## Generate the pages of docs/ that follow from code
	STEWARD_DATA=$(TEST_DATA) $(BIN)/python manage.py generate_docs

bench: $(VENV)/dev ## Our figures beside a physical reference, same data, same run
	$(BIN)/python -m benchmarks $(if $(RECORD),--record)

bench-check: $(VENV)/dev ## What got slower than the recorded ratios (make bench RECORD=1)
	$(BIN)/python -m benchmarks --check

faults: $(VENV)/dev browser ## All fault injections, many rounds, and whole what the suite samples
	STEWARD_DATA=$(TEST_DATA) STEWARD_FAULTS=full $(BIN)/python -m pytest $(SAMPLED) -n 0 -o faulthandler_timeout=7200

up: ## Start a whole site in containers (needs Docker and .env)
	docker compose up --build --detach

containers: $(VENV)/dev browser docker ## Build, start, use and remove a whole site in containers (root; KEEP=FOLDER keeps its images)
	@STEWARD_DATA=$(TEST_DATA) $(BIN)/python -m tests.containers $(if $(KEEP),--keep $(KEEP))

lock: ## Compile the pinned requirements, and list them as components (CycloneDX)
	$(PYTHON) -m pip install --quiet uv
	for name in requirements requirements-site requirements-dev; do \
	  uv pip compile $$name.in -o $$name.txt --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-emit-index-url --custom-compile-command "make lock"; done
	$(MAKE) docs # docs/components.cdx.json lists what is locked

vendor: $(VENV)/dev ## Fetch the vendored browser libraries of static/vendor again
	$(BIN)/python manage.py vendor

browser: # Debian's Chromium for the browser tests, if no browser is there
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
	  { echo "The browser tests need Chromium: install it with your package manager." >&2; exit 1; }

# Debian's packages, if one of these programs is not there; installing must not start what is installed.
define provided
	@( for name in $(1); do command -v $$name >/dev/null || exit 1; done ) || { [ -e /usr/sbin/policy-rc.d ] || \
	  { printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d; chmod +x /usr/sbin/policy-rc.d; own=1; }; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(2) >/dev/null; failed=$$?; \
	  [ -z "$$own" ] || rm -f /usr/sbin/policy-rc.d; [ $$failed = 0 ]; } || { echo "$(3): install them with your package manager." >&2; exit 1; }
endef

proxies: # whose configurations are tested against the real ones
	$(call provided,nginx caddy,nginx caddy,The tests of docs/proxy need nginx and Caddy)

store: # a real one that speaks S3, for Debian's Python
	$(call provided,swift-proxy-server swift-object-server,swift-proxy swift-account swift-container swift-object,The tests of the store need OpenStack Swift)

docker: # a daemon is started for the time of the check alone
	$(call provided,dockerd docker debootstrap,docker.io docker-compose debootstrap,The site in containers needs Docker with Compose and debootstrap)

clean: ## Remove the environment and everything generated (keeps data/)
	rm -rf $(VENV) $(TEST_DATA) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .coverage

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed.")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/run: requirements.txt | $(BIN)/python
	@echo "Installing what the release desk needs (once) ..."
	@$(PIP) -r requirements.txt
	@touch $@

$(VENV)/ready: requirements.txt | $(VENV)/run
	@echo "Compiling its loops and making an empty database (once) ..."
	@$(BIN)/python -m worker.engine.execution.warming
	@STEWARD_DATA=$(CURDIR)/$(VENV)/empty-desk $(BIN)/python manage.py migrate --verbosity 0
	@touch $@

$(VENV)/dev: requirements-dev.txt | $(BIN)/python
	@echo "Installing what checks and tests need (once) ..."
	@$(PIP) -r requirements-dev.txt
	@touch $@ $(VENV)/run
