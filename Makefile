# Two commands do everything: `make book` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
# hundreds of processes would each compile every module again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help check book page pdf next ledger test test-slow slow slow-code preview course homework serve lint lock bench bounds minimal messages minimal-gcc wheel dask coverage mutants clean

help:  ## List these commands
	@echo "For readers:"
	@grep -hE '^(book|test|serve):.*## ' Makefile | sed -E 's/:.*## /\t/; s/^/  /' | expand -t 16
	@echo "For authors and maintainers:"
	@grep -hE '^[a-z-]+:.*## ' Makefile | grep -vE '^(book|test|serve|help):' | sed -E 's/:.*## /\t/; s/^/  /' | expand -t 16

book: .venv/installed  ## Execute every chapter and build _build/html/index.html
	$(BIN)/python -m liftbook.build.book

pdf: book .venv/tested  ## The book on paper, _build/html/lift-companion.pdf, linked from the first page; needs Chromium
	$(BIN)/python -m companion.pdf --name lift-companion.pdf

page: .venv/installed  ## One page, executed and laid out in _build/page/_build/html: make page PAGE=srr
	$(BIN)/python -m liftbook.build.book --only $(or $(PAGE),$(error name a page, such as make page PAGE=srr))

preview: .venv/installed  ## The book at small parameters, in _build/preview/_build/html; ONLY=srr for one page
	$(BIN)/python -m liftbook.build.book --preview $(if $(ONLY),--only $(ONLY))

ledger: .venv/installed  ## Run what data/ledger.csv does not have yet, over 20 seeds; ONLY=fig4 for a part, MINUTES=30 to stop
	$(BIN)/liftbook store figures/runs.csv
	$(BIN)/liftbook store ledger.csv $(if $(ONLY),--only "$(ONLY)") $(if $(MINUTES),--minutes $(MINUTES))

# two processors are busy with two: a third worker took 252 s for 230
TESTERS ?= 2

test: .venv/tested lint book  ## Lint, types, floors, unit, doctest, claims, reruns, and the built book in a browser
	$(BIN)/python -m companion.chromium
	$(BIN)/pytest -n $(TESTERS) --dist loadgroup --durations=40 -m "not slow and not rebuilt"

# a page on a busy machine may not be ready in time: what failed is run once more, with nothing beside it, and must pass then
ALONE := $(BIN)/pytest -v --last-failed --last-failed-no-failures none
CODE := (slow or rebuilt) and not browser and not book and not minutes

test-slow: slow coverage  ## What takes longer: the wheel, recipes, laws explored, coverage, a minimal Debian
	tools/minimal-debian
	tools/minimal-debian --with-compiler

slow: .venv/tested book  ## What is marked slow, the laws on new examples each time, and Sphinx 9
	$(BIN)/pytest -n $(TESTERS) --dist loadgroup --durations=40 -m "slow or rebuilt" || $(ALONE) -m "slow or rebuilt"
	HYPOTHESIS_PROFILE=explore $(BIN)/pytest -n $(TESTERS) --durations=10 tests/liftlib/laws
	$(MAKE) next

slow-code: .venv/tested  ## Of these what needs no browser, no built book, no wheel and not minutes; `.ci/run` runs it after `make test`
	$(BIN)/pytest -n $(TESTERS) --dist loadgroup --durations=40 -m "$(CODE)" --ignore tests/wheel || $(ALONE) -m "$(CODE)" --ignore tests/wheel

dask: .venv/tested  ## Tables on a cluster of Dask that loses a worker
	$(BIN)/pytest -m slow tests/lifttables/test_distributed.py

lint: .venv/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/python -m companion.formatting --check
	$(BIN)/python -m companion.formatting --check course
	$(BIN)/python tools/sample_sentences.py --habits

course: book .venv/tested  ## The course's slides as PDFs, linked from the page for teachers; `make book` makes the rest; needs Chromium
	$(BIN)/python -m companion.course --pdf

homework: .venv/tested  ## Homework with other numbers than the book's, in homework-SEED: make homework SEED=2026
	$(BIN)/python -m companion.course --title Lift --seed $(or $(SEED),$(error give a number: make homework SEED=2026))

messages: .venv/tested  ## Write tests/messages.txt again, the texts of errors, after a change of words; read the diff
	rm -f tests/messages.txt
	REWRITE_MESSAGES=1 $(BIN)/pytest -q -n $(TESTERS) $$(grep -rl "^from messages import" tests)
	git --no-pager diff tests/messages.txt

bench: .venv/tested  ## Time liftlib against plain routes, side by side
	$(BIN)/python -m benchmarks

check: lint  ## Lint, types, import rules and the packages' unit tests, without the book
	$(BIN)/pytest -n $(TESTERS) --dist loadgroup -m "not slow and not rebuilt and not book and not browser" $(or $(ONLY),mixproof liftlib lifttables tests/mixproof tests/liftlib tests/lifttables tests/companion)

mutants: .venv/tested  ## Test a sample of 200 mutants, which takes an hour or more
	$(BIN)/python tools/mutants.py --number 200 --seed 36

coverage: .venv/tested  ## Lines and branches that the unit tests run
	$(BIN)/pytest -n 2 --dist loadgroup -m "not slow and not book and not browser" --cov --cov-branch --cov-report=term:skip-covered

serve: book  ## Read the book at http://localhost:8000
	$(BIN)/python -m http.server --directory _build/html 8000

minimal:  ## The same two commands on a clean minimal Debian, without a compiler; needs root and debootstrap
	tools/minimal-debian

minimal-gcc:  ## The same with gcc and Python's headers: pycddlib must have been built
	tools/minimal-debian --with-compiler

next: book  ## The same sources with Sphinx 9 and the current theme, _build/next/html, which needs no jupyter-book
	rm -rf _build/next  # Sphinx writes no page again because an extension has changed
	python3 -m venv .venv-next
	grep -v "^jupyter-book\|^sphinx-book-theme\|^pycddlib" requirements.txt | cat - tools/next/requirements.txt > .venv-next/requirements.txt
	.venv-next/bin/pip install -q -r .venv-next/requirements.txt
	.venv-next/bin/pip install -q --no-build-isolation --no-deps -e .
	.venv-next/bin/sphinx-build -q -W --keep-going -b html -c tools/next . _build/next/html
	.venv-next/bin/python tools/next/compare.py

wheel: .venv/tested  ## The wheel in fresh environments, bare and with each extra; all that does not need the built book
	$(BIN)/pytest -n 2 --dist loadgroup -m "not book" tests/wheel

# what the tests alone want comes as new as it can; that an old package warns of a newer one beside it is no fault; the
# build and the wheel have the lock's versions alone
RESOLUTION ?= lowest-direct
BOUNDS := _build/$(RESOLUTION)
NEED_SPHINX := $(foreach one,toy_book any_paper new_book settings compiling grammar,--ignore tests/companion/test_$(one).py)
bounds: .venv/tested  ## Try the lowest versions that pyproject.toml allows; with RESOLUTION=highest the newest there are
	rm -rf $(BOUNDS) && mkdir -p $(BOUNDS)
	$(BIN)/uv pip compile --quiet --python $(PYTHON) --resolution $(RESOLUTION) --extra tables --extra book --extra dask \
	  --no-header --no-annotate pyproject.toml -o $(BOUNDS)/versions.txt
	$(BIN)/uv venv --quiet --python $(PYTHON) $(BOUNDS)/venv
	$(BIN)/uv pip install --quiet --python $(BOUNDS)/venv -r $(BOUNDS)/versions.txt --editable . \
	  pytest pytest-timeout pytest-xdist hypothesis duckdb 'dask[dataframe]'
	cat $(BOUNDS)/versions.txt
	$(BOUNDS)/venv/bin/pytest -n 2 --dist loadgroup -m "not book and not browser and not slow" tests \
	  --ignore tests/test_house.py --ignore tests/test_publishing.py --ignore tests/liftbook/build --ignore tests/wheel $(NEED_SPHINX) $(if $(filter lowest%,$(RESOLUTION)),-o filterwarnings=)

LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 $(UPGRADE) --generate-hashes --no-strip-extras --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links
UPGRADE = $(if $(PACKAGE),--upgrade-package $(PACKAGE),--upgrade)
# it needs uv alone, and not an environment of the lock that it is about to write
lock: $(if $(wildcard $(BIN)/uv),,.venv/tested)  ## Refresh requirements.lock and tests/requirements.lock; PACKAGE=jinja2 moves this one alone
	$(LOCK) requirements.txt -o requirements.lock
	$(LOCK) -c requirements.lock tests/requirements.txt -o tests/requirements.lock

clean:  ## Remove what was built, and the environment
	rm -rf _build .venv

# uv where it is there, pip where it is not. The locks have hashes, and both refuse a file that differs. All are wheels or plain
# Python but pycddlib, which is left out where it cannot be compiled
UV := $(shell command -v uv)
INSTALL := $(if $(UV),$(UV) pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet --disable-pip-version-check)
# a compiler that finds Python's headers, the ones that setuptools would use
COMPILER = $$($(BIN)/python -c 'import os, sysconfig as s; print(os.getenv("CC") or s.get_config_var("CC"), "-I" + s.get_path("include"))')

.venv/installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; assert (3, 11) <= sys.version_info < (3, 15), "Python 3.11 to 3.14 is needed; set PYTHON="'
	$(PYTHON) -m venv .venv
	awk '/^[a-z]/ { other = !/^pycddlib/ } other' requirements.lock > .venv/wheels.txt
	awk '/^[a-z]/ { other = !/^pycddlib/ } !other' requirements.lock > .venv/pycddlib.txt
	$(INSTALL) -r .venv/wheels.txt
	$(INSTALL) --no-build-isolation --no-deps --editable .
	@if echo '#include <Python.h>' | $(COMPILER) -E -x c - >/dev/null 2>&1; then $(INSTALL) -r .venv/pycddlib.txt; \
	else echo "pycddlib is left out, and so are its cross-checks: there is no compiler that finds Python.h." \
	  "To have them: apt-get install gcc python3-dev, then $(INSTALL) -r .venv/pycddlib.txt"; fi
	touch $@

.venv/tested: tests/requirements.lock .venv/installed
	awk '/^[a-z]/ { other = !/^pycddlib/ } other' tests/requirements.lock > .venv/tools.txt
	$(INSTALL) -r .venv/tools.txt
	touch $@
