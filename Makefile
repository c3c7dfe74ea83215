# The newcomer's door: each target installs what is missing, builds, and does its job.
.DEFAULT_GOAL := build/relucover
BUILD ?= build
PRESET ?= release
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
export CCACHE_BASEDIR := $(CURDIR)

.PHONY: help packages configure all demo test bench fuzz install python install-python test-browser docs format lint lint-packages clean build/relucover

help:
	@echo 'make          builds build/relucover'
	@echo 'make demo     plants a network, learns it, prints truth beside answer'
	@echo 'make test     builds everything and runs every test'
	@echo 'make bench    speed and accuracy tables (minutes)'
	@echo 'make fuzz     feeds every reader of files damaged ones, SECONDS=60 each'
	@echo 'make install  into PREFIX (default /usr/local)'
	@echo 'make python   the importable package in build/python, a wheel in build/wheel (install-python installs it)'
	@echo 'make docs     the documentation as pages in build/docs/html'
	@echo 'make format   fixes the layout of sources'
	@echo 'make lint     layout, static analysis of what changed (LINT=--all: of everything), shell scripts'
	@echo 'make clean    removes what was built'

packages:
	@scripts/install-packages

configure: packages
	@test -f $(BUILD)/build.ninja || cmake --preset $(PRESET) -B $(BUILD)

build/relucover: configure
	@cmake --build $(BUILD) -j $(JOBS) --target relucover_cli

all: configure
	@cmake --build $(BUILD) -j $(JOBS)

demo: build/relucover
	@$(BUILD)/relucover demo

test: all
	@scripts/run-tests $(BUILD) $(JOBS) $(CTEST)

# ONLY=name runs the benchmarks whose name contains it.
bench: configure
	@scripts/install-packages packages-bench.txt
	@cmake -B $(BUILD) -DRELUCOVER_BENCH=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	@bench/run $(BUILD) $(ONLY)

# SECONDS for each reader; READERS='csv npz' runs these alone.
fuzz: SECONDS ?= 60
fuzz: packages
	@scripts/install-packages packages-fuzz.txt
	@JOBS=$(JOBS) scripts/fuzz $(SECONDS) $(READERS)

# An importable package in $(BUILD)/python and a wheel in $(BUILD)/wheel.
python: configure
	@cmake --build $(BUILD) -j $(JOBS) --target relucover_python_files relucover_wheel
	@ls $(BUILD)/wheel/*.whl

# PYTHON_SITE=folder installs there instead of where Debian's python3 looks first.
install-python: PYTHON_SITE ?= $(shell /usr/bin/python3 -c 'import site; print(site.getsitepackages()[0])')
install-python: python
	@/usr/bin/python3 -m zipfile -e $(BUILD)/wheel/*.whl $(PYTHON_SITE)
	@cd / && PYTHONPATH=$(PYTHON_SITE) /usr/bin/python3 -c 'import relucover; print("installed relucover", relucover.__version__, "in", relucover.__path__[0])'

docs: python
	@scripts/build-docs $(BUILD)

# Looks at the report in headless Chromium, which is too large to be a package that everybody needs.
test-browser: python
	@scripts/install-packages tests/browser/packages.txt
	@PYTHONPATH=$(BUILD)/python /usr/bin/python3 -m pytest -q tests/browser

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

lint-packages:
	@scripts/install-packages packages-lint.txt

format: lint-packages
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

lint: lint-packages configure
	@BUILD=$(BUILD) scripts/lint $(LINT)

clean:
	rm -rf build build-*
