# The newcomer's door: each target installs what is missing, builds, and does its job.
.DEFAULT_GOAL := build/relucover
BUILD ?= build
PRESET ?= release
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
export CCACHE_BASEDIR := $(CURDIR)

.PHONY: packages configure all demo test bench install clean

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

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf build build-*

.PHONY: build/relucover
