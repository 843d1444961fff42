# Two commands do everything: `make book` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: help book test preview exercises serve lint lock bench clean

help:  ## List these commands
	@grep -hE '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

book: .venv/installed  ## Execute every chapter and build _build/html/index.html
	$(BIN)/python -m liftbook.build.book

preview: .venv/installed  ## The same book at small parameters, in _build/preview/_build/html
	$(BIN)/python -m liftbook.build.book --preview

test: .venv/installed lint book  ## Lint, types, floors, unit, doctest, claims, reruns, and the built book in a browser
	$(BIN)/python -m liftbook.build.chromium
	$(BIN)/pytest -n 2 --dist loadgroup

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/python -m liftbook.build.formatting --check

exercises: .venv/installed  ## Write student and solution notebooks to _build/exercises
	$(BIN)/python -m liftbook.build.exercises

bench: .venv/installed  ## Time liftlib against plain routes, side by side
	$(BIN)/python -m benchmarks

serve: book  ## Read the book at http://localhost:8000
	$(BIN)/python -m http.server --directory _build/html 8000

lock: .venv/installed  ## Refresh requirements.lock from requirements*.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --upgrade --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links requirements-dev.txt -o requirements.lock

clean:  ## Remove what was built, and the environment
	rm -rf _build .venv

# pip alone is enough; pycddlib compiles with a C compiler
.venv/installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; assert (3, 11) <= sys.version_info < (3, 14), "Python 3.11 to 3.13 is needed; set PYTHON="'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	touch $@
