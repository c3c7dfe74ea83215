# The newcomer's door: each target installs what is missing, builds, and does its job.
.DEFAULT_GOAL := build/relucover
BUILD ?= build
PRESET ?= release
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
export CCACHE_BASEDIR := $(CURDIR)

.PHONY: help packages configure all demo test bench install python format lint lint-packages clean build/relucover

help:
	@echo 'make          builds build/relucover'
	@echo 'make demo     plants a network, learns it, prints truth beside answer'
	@echo 'make test     builds everything and runs every test'
	@echo 'make bench    speed and accuracy tables (minutes)'
	@echo 'make install  into PREFIX (default /usr/local)'
	@echo 'make python   the importable package in build/python'
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
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --timeout 1200

# ONLY=name runs the benchmarks whose name contains it.
bench: configure
	@cmake -B $(BUILD) -DRELUCOVER_BENCH=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	@bench/run $(BUILD) $(ONLY)

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
