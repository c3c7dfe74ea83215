# The newcomer's door: each target installs what is missing, builds, and does its job.
.DEFAULT_GOAL := build/relucover
BUILD ?= build
PRESET ?= release
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
CONFIGURE_LOG = $(BUILD)/configure.log
export CCACHE_BASEDIR := $(CURDIR)

.PHONY: help packages configure configure-demo configure-program all demo test bench fuzz install python install-python test-browser docs \
	format lint lint-packages sanitize sanitize-address sanitize-thread coverage clean build/relucover

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
	@echo 'make lint     layout, static analysis, shell scripts (LINT=--changed: only of what you changed)'
	@echo 'make sanitize every test under the address and undefined-behaviour sanitizers, then under the thread sanitizer'
	@echo 'make coverage every test, and the share of lines of src that they run'
	@echo 'make clean    removes what was built'

# Three levels, each with the packages it needs: the demo alone, the program with its modules (HDF5, ONNX, MPI), everything.
# What was configured at a higher level stays there.
packages:
	@scripts/install-packages

configure-demo:
	@scripts/install-packages packages.txt demo
	@mkdir -p $(BUILD)
	@test -f $(BUILD)/build.ninja || cmake --preset $(PRESET) -B $(BUILD) -DRELUCOVER_TESTS=OFF -DRELUCOVER_PYTHON=OFF >$(CONFIGURE_LOG) || { cat $(CONFIGURE_LOG); exit 1; }

configure-program: configure-demo
	@scripts/install-packages packages.txt modules
	@test -f $(BUILD)/.with-modules || { cmake -B $(BUILD) >$(CONFIGURE_LOG) || { cat $(CONFIGURE_LOG); exit 1; }; touch $(BUILD)/.with-modules; }

configure: packages
	@test -f $(BUILD)/.with-everything || cmake --preset $(PRESET) -B $(BUILD) -DRELUCOVER_TESTS=ON -DRELUCOVER_PYTHON=ON
	@touch $(BUILD)/.with-everything $(BUILD)/.with-modules

build/relucover: configure-program
	@scripts/build $(BUILD) $(JOBS) relucover_cli relucover_modules
	@echo 'Next: $(BUILD)/relucover demo, then $(BUILD)/relucover learn data.npz --units auto -o net.json'
	@echo '      $(BUILD)/relucover --help teaches the rest; make test runs every test; make python builds the Python package'

all: configure
	@scripts/build $(BUILD) $(JOBS)

demo: configure-demo
	@scripts/build $(BUILD) $(JOBS) relucover_demo
	@$(BUILD)/relucover_demo

test: all
	@scripts/run-tests $(BUILD) $(JOBS) $(CTEST)

# Each has a folder and a preset of its own; both run whole, whatever the first found.
sanitize:
	@code=0; for kind in address thread; do $(MAKE) --no-print-directory sanitize-$$kind || code=1; done; exit $$code

sanitize-address:
	@$(MAKE) --no-print-directory test PRESET=asan BUILD=build-asan

sanitize-thread:
	@$(MAKE) --no-print-directory test PRESET=tsan BUILD=build-tsan

coverage:
	@$(MAKE) --no-print-directory test PRESET=coverage BUILD=build-coverage
	@scripts/coverage build-coverage

# ONLY=name runs the benchmarks whose name contains it.
bench: configure
	@scripts/install-packages packages-bench.txt
	@cmake -B $(BUILD) -DRELUCOVER_BENCH=ON >/dev/null
	@scripts/build $(BUILD) $(JOBS)
	@bench/run $(BUILD) $(ONLY)

# SECONDS for each reader; READERS='csv npz' runs these alone.
fuzz: SECONDS ?= 60
fuzz: packages
	@scripts/install-packages packages-fuzz.txt
	@JOBS=$(JOBS) scripts/fuzz $(SECONDS) $(READERS)

# An importable package in $(BUILD)/python and a wheel in $(BUILD)/wheel.
python: configure
	@scripts/build $(BUILD) $(JOBS) relucover_python_files relucover_wheel
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

lint: lint-packages packages
	@scripts/lint $(LINT)

clean:
	rm -rf build build-*
