# 'make help' lists the targets. On Debian, each target first installs its missing dependencies.

# The rest can be set on the command line, for example make test CMAKE_ARGS=-DPAIR_TORCH=python
CMAKE_ARGS ?=
INSTALL ?= yes
LONG ?= no
FUZZ_SECONDS ?= 60
# One job per core, and 2 GB of memory for each: what compiling a source that uses torch takes.
JOBS ?= $(shell awk -v cores="$$(nproc)" '/MemAvailable/ { jobs = int($$2 / 2e6); \
  print jobs < 1 ? 1 : jobs < cores ? jobs : cores }' /proc/meminfo)

sources = find src tests benchmarks examples python -name '*.cpp' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh'
install = $(if $(filter yes,$(INSTALL)),scripts/install-dependencies $(1))
build = cmake --build --preset $(1) --parallel $(JOBS)
# Tests with the label 'long' take 15 seconds or more each (tests/CMakeLists.txt).
without_long = $(if $(filter yes,$(LONG)),,--label-exclude long)

.PHONY: help run test python bench check docs fuzz format lint clean
.SILENT:

help: ## List the targets
	awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

run: ## Build the pair program and run its demo: ERM and PAIR-o on ColoredMNIST
	$(call install)
	test -f build/release/build.ninja || cmake --preset release -DPAIR_TESTS=OFF $(CMAKE_ARGS)
	$(call build,release) --target pair
	build/release/bin/pair demo

test: ## Build everything and run the tests (LONG=yes: also those that take 15 seconds or more)
	$(call install,$(if $(filter yes,$(LONG)),long-test,test))
	cmake --preset release -DPAIR_TESTS=ON -DPAIR_BENCHMARKS=ON $(CMAKE_ARGS)
	$(call build,release)
	ctest --preset release --parallel $(JOBS) $(without_long)

python: ## Build the Python package in build/release/python and test it
	$(call install,python)
	cmake --preset release -DPAIR_TESTS=ON -DPAIR_PYTHON=on $(CMAKE_ARGS)
	$(call build,release) --target pair pair_python
	ctest --preset release --parallel $(JOBS) --tests-regex '^python[.]'

bench: ## Measure the solver, alone and against GLPK, and run the Google Benchmark programs
	$(call install,test)
	cmake --preset release -DPAIR_BENCHMARKS=ON $(CMAKE_ARGS)
	$(call build,release)
	for program in build/release/bin/pair_*_benchmarks; do "$$program" || exit; done
	build/release/bin/pair bench solver

check: ## Lint all sources, run the tests under the sanitizers (LONG=yes: all), and each fuzzer for a minute
	$(call install,$(if $(filter yes,$(LONG)),long-check,check))
	$(MAKE) lint LINT_ALL=1
	for preset in asan tsan; do \
	  cmake --preset $$preset $(CMAKE_ARGS) && cmake --build --preset $$preset --parallel $(JOBS) && \
	  ctest --preset $$preset --parallel $(JOBS) $(without_long) || exit; \
	done
	$(MAKE) fuzz

docs: ## Build the API reference of the public headers with Doxygen
	$(call install,docs)
	doxygen docs/Doxyfile
	echo "The API reference is in build/docs/html/index.html"

fuzz: ## Give each fuzzer FUZZ_SECONDS (60)
	$(call install,fuzz)
	cmake --preset fuzz -DPAIR_FUZZ_SECONDS=$(FUZZ_SECONDS) $(CMAKE_ARGS)
	$(call build,fuzz)

format: ## Format the sources
	$(call install,format)
	$(sources) | xargs clang-format -i

lint: ## Check format and run clang-tidy on the sources without torch (LINT_ALL=1: on all, slowly)
	$(call install,lint)
	$(sources) | xargs clang-format --dry-run -Werror
	cmake --preset lint $(CMAKE_ARGS)
	scripts/lint build/lint $(JOBS) $(if $(LINT_ALL),all)

clean: ## Remove all build output
	rm -rf build
