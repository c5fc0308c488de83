PYTHON ?= python3
# versions of what is installed: constraints.txt (what the figures were measured with),
# constraints-oldest.txt (the oldest that pyproject.toml allows), or nothing (the newest there are)
CONSTRAINTS ?= constraints.txt
BIN := .venv/bin
PYTEST := $(BIN)/pytest -n auto --dist loadgroup
.DEFAULT_GOAL := help
.PHONY: help demo reproduce test ready pytest test-full test-neighbours coverage bench bench-service docs dist lint format hooks clean
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export NO_MKDOCS_2_WARNING := 1

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/all ## set up .venv and see the paper's two comparisons: tables, pictures, a page; a minute or so
	@$(BIN)/factored-bandits demo --out demo

reproduce: .venv/all ## all experiments of the paper at a small size: which sentences hold, and a page of figures
	$(BIN)/factored-bandits reproduce --quick --out laboratory

# lint leaves one core idle for most of its time: the tests run beside it
test: ready ## style, types, import rules, tests, every example; must pass before a change is sent
	@$(MAKE) --no-print-directory lint & lint=$$!; \
		$(PYTEST) -m "not full"; tests=$$?; \
		wait $$lint && [ $$tests = 0 ] || { echo "make test: not everything passed" >&2; exit 1; }

# Installing, too: loops that are not there yet are compiled beside it, or else the tests would do it afterwards
ready: .venv/cli ## .venv with all that tests need, and the loops that they play
	@$(BIN)/factored-bandits warm --quiet > .venv/warm.log 2>&1 & warm=$$!; \
		$(MAKE) --no-print-directory .venv/dev || exit 1; \
		wait $$warm; cat .venv/warm.log

pytest: .venv/dev ## the tests alone
	$(PYTEST) -m "not full"

test-full: lint ## the long statistical runs too
	$(PYTEST)

# deepeval and arena-rank want other versions of click and numpy than constraints.txt has, and a gigabyte
# with what they bring: an environment of their own. The import says so where one of them is not there, as
# their tests would be skipped. pytest-asyncio and pytest-rerunfailures come with deepeval.
test-neighbours: .venv-neighbours/ready ## the tests with deepeval and arena-rank, in an environment of their own
	.venv-neighbours/bin/python -c "import arena_rank, deepeval.metrics"
	.venv-neighbours/bin/pytest -p no:asyncio -p no:rerunfailures -rs -k "deepeval or arena_rank" \
		tests/judges/test_deepeval.py tests/judges/test_judged_results.py tests/service/test_vote_pages.py

# Lines of compiled kernels cannot be counted. The golden runs play every policy, choice and kind of
# problem interpreted, in minutes; everything else would take hours that way and runs compiled.
coverage: .venv/dev ## lines and branches that the tests reach, kernels interpreted so that their lines count
	NUMBA_DISABLE_JIT=1 $(PYTEST) tests/golden --cov --cov-report=
	$(PYTEST) -m "not full" --ignore tests/golden --cov --cov-append --cov-report=term

bench: .venv/dev ## speed, as ratios within one run
	$(BIN)/python benchmarks/run.py

bench-service: .venv/dev ## the durable agent and the service: events a second, bytes, ratios to a no-op
	$(BIN)/python benchmarks/service.py

docs: .venv/dev ## the pages as a site, in site/
	$(BIN)/mkdocs build --quiet
	@echo "open site/index.html"

dist: .venv/dist ## wheel and source distribution in dist/, checked: installed in an empty environment, first snippets run
	$(BIN)/python tools/dist.py

# mypy takes as long as the others together, on one core: they run beside it
lint: .venv/dev ## ruff, mypy and import-linter
	@$(BIN)/mypy & types=$$!; \
		$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports --no-logo; \
		style=$$?; wait $$types && [ $$style = 0 ]

format: .venv/dev ## let ruff put things in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

hooks: .venv/dev ## run the checks of `make lint` before every commit
	$(BIN)/pre-commit install

clean: ## remove everything that make has made
	rm -rf .venv .venv-neighbours build demo dist site src/*.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/bin/python:
	@echo "Making a virtual environment in .venv ..."
	@$(PYTHON) -m venv .venv

# pip's own lines are many: its names of packages are shown as they come, its complaints if it fails
NAMES := awk '/^(Collecting|Processing) / { name = $$2; \
	sub(/.*\//, "", name); sub(/[^A-Za-z0-9_.-].*|-[0-9.]+-[^ ]*whl$$/, "", name); \
	if (column + length(name) > 98) { printf "\n"; column = 0 } \
	column += length(name) + 1; printf "%s%s", (column > length(name) + 1 ? " " : "  "), name; fflush() } \
	/^Installing collected/ { printf "\n  all found; unpacking them ...\n"; fflush() }'

# --no-compile: Python compiles what is imported, which is a tenth of what is installed
.venv/%: pyproject.toml $(CONSTRAINTS) | .venv/bin/python
	@echo "Installing factored-bandits[$*] and what it needs into .venv (once, about half a minute):"
	@{ $(BIN)/pip install --no-compile --progress-bar off $(addprefix --constraint ,$(CONSTRAINTS)) \
		--editable ".[$*]" 2> .venv/pip.log; echo $$? > .venv/pip.status; } | $(NAMES)
	@[ "$$(cat .venv/pip.status)" = 0 ] || { cat .venv/pip.log >&2; exit 1; }
	@touch $@

.venv-neighbours/ready: pyproject.toml constraints-neighbours.txt
	@echo "Installing deepeval, arena-rank and what they need into .venv-neighbours (once, about a minute) ..."
	@$(PYTHON) -m venv .venv-neighbours
	@.venv-neighbours/bin/pip install --quiet --no-compile --constraint constraints-neighbours.txt \
		--editable ".[frame,plot,vote]" deepeval arena-rank pytest
	@touch $@
