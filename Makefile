# make demo    set up and see it work          make test       everything that must hold
# make bench   speed, as ratios                make test-full  the long statistical runs too
# make docs    the pages as a site, in site/
PYTHON ?= python3
BIN := .venv/bin
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export NO_MKDOCS_2_WARNING := 1

.PHONY: demo test test-full bench docs lint format clean

demo: .venv/all
	$(BIN)/factored-bandits demo --out demo

test: .venv/dev lint
	$(BIN)/pytest -n auto --dist loadgroup -m "not full"

test-full: .venv/dev lint
	$(BIN)/pytest -n auto --dist loadgroup

bench: .venv/dev
	$(BIN)/python benchmarks/run.py

docs: .venv/dev
	$(BIN)/mkdocs build --quiet
	@echo "open site/index.html"

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/%: pyproject.toml constraints.txt | .venv/bin/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[$*]"
	touch $@

clean:
	rm -rf .venv build demo site src/*.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
