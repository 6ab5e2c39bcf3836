# make run     sets up and builds everything, then compares four TCP variants over 50 moving nodes
# make test    sets up everything, then runs every check and test
# make setup   only sets up: .venv/ with the built package
# make kernel  adds the congestion controllers for the Linux kernel (needs clang, which it installs)
# make virtual-kernel   builds the kernel of `tworay live run --virtual` into your cache (once, a few minutes; part of make test)
# make soak    repeats the property tests with new seeds, ROUNDS=20 times; first ORACLE=10000 cases of each test of the ledger's oracle
# make torture   runs RUNS=20000 random scenarios from FROM=0 and holds them to every invariant and relation (make test: 200)
# make disk-faults   lets every operation on the disk fail in turn under comparisons, sweeps and merges (EACH=12: so many of each kind; make test: 1), and lets eight processes write at once (make test: 4)
# make day     simulates 24 hours of 50 moving nodes with AODV, DSR and OLSR and checks that memory stays flat (a quarter of an hour)
# make mutants   changes the simulator's code at random in EACH=10 places per crate and checks that tests notice (hours)
# make fmt     formats Rust and Python
# make clean   removes .venv/ and the build

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup kernel loader virtual-kernel run test compile-tools test-tools test-rust test-python rust-lint rust-tests rust-checks python-checks python-lint python-tests soak torture disk-faults day mutants fmt clean

VENV := .venv
BIN := $(VENV)/bin
SEEDS ?= 30

# Check the bindings against the Python in .venv, not the first one on the path.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

# Sources of the native module.
NATIVE := Cargo.toml Cargo.lock pyproject.toml $(shell find crates -type f -not -path '*/target/*' -not -path '*/tests/*' -not -path '*/benches/*' -not -path 'crates/tworay-kernel/*')
# Sources of the kernel controllers and their loader.
KERNEL := Cargo.toml Cargo.lock $(shell find crates/tworay-kernel -type f -not -path '*/tests/*')

help:
	@sed -n 's/^# make /make /p' Makefile

# A stamp has the time at which its step started, so that a file edited during the step counts as newer.
setup: $(VENV)/.native $(VENV)/.kernel

$(VENV)/.python: requirements.txt requirements-dev.txt scripts/setup.sh
	@began=$$(mktemp) && scripts/timed.sh "Python packages" scripts/setup.sh python && touch -r $$began $@ && rm -f $$began

$(VENV)/.native: $(VENV)/.python $(NATIVE)
	@began=$$(mktemp) && scripts/timed.sh "simulator, release build" scripts/setup.sh native && touch -r $$began $@ && rm -f $$began

$(VENV)/.kernel: $(VENV)/.python $(KERNEL)
	@began=$$(mktemp) && scripts/timed.sh "loader of kernel controllers" scripts/setup.sh kernel if-possible && touch -r $$began $@ && rm -f $$began

kernel: setup
	scripts/setup.sh kernel

run: setup
	$(BIN)/tworay compare strip-50 --tcp tahoe,reno,newreno,sack --seeds $(SEEDS)

# The Rust checks compile while programs for the tests are installed, and while the simulator's release build, which uses one
# core, goes on. The output of each part is printed in one piece.
# A table of what each part took stands at the end.
test:
	@scripts/timed.sh start
	@$(MAKE) --no-print-directory compile-tools
	@echo "Building and checking go on in parallel (some 10 minutes the first time); each part prints its output when it is done"
	@$(MAKE) --no-print-directory -j3 --output-sync=target rust-checks python-checks; code=$$?; scripts/timed.sh show; exit $$code

# In this order: package managers don't like company.
compile-tools: $(VENV)/.python
	scripts/setup.sh compile

test-tools: compile-tools
	scripts/setup.sh tests

# Files for incremental builds take a third of the time of a first build. They pay for those who build again and again, who have
# them already. A first build also lints while it compiles: clippy is a compiler that says more, and checking every crate for it
# before it is compiled takes as much as a third of compiling. For those with incremental builds the two stay apart, so that
# `cargo test` finds what make has compiled. (Cargo makes the directory also where it keeps no such files: an empty one tells nothing.)
FIRST := $(if $(wildcard target/debug/incremental/*),,$(shell command -v clippy-driver))
LINTING := CARGO_INCREMENTAL=0 RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
QUICKLY := env -u MAKEFLAGS -u MFLAGS $(if $(FIRST),$(LINTING))

# Without the examples, unless they are to be linted here, and without those of doc comments: there are none (test_house.py), and
# to find that out takes as much as checking every crate once more.
RUST_TESTS := --workspace --lib --bins --tests $(if $(FIRST),--examples) --locked --quiet

rust-lint: compile-tools
	python3 studies/circles.py
	cargo fmt --all --check
ifeq ($(FIRST),)
	$(QUICKLY) scripts/timed.sh "clippy" cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
endif

test-rust: rust-checks

rust-tests: rust-lint test-tools
	$(QUICKLY) scripts/timed.sh "$(if $(FIRST),clippy and )Rust tests, build" cargo test $(RUST_TESTS) --no-run
	$(QUICKLY) PROPTEST_RNG_SEED=$(PROPTEST_SEED) scripts/timed.sh "Rust tests" cargo test $(RUST_TESTS)

# After the native module, in which it counts.
rust-checks: rust-tests $(VENV)/.native
	env -u MAKEFLAGS -u MFLAGS scripts/timed.sh "instructions" python3 studies/instructions.py --check

# Property tests use a fixed seed in `make test`, so that it is reproducible. `make soak` draws new seeds in every
# round and prints each failure with the seed that reproduces it.
PROPTEST_SEED ?= 3561
ROUNDS ?= 20
ORACLE ?= 10000

soak: setup
	@log=$$(mktemp); seed=$$RANDOM$$RANDOM; oracle="cargo test -p tworay-sim --locked --release --test all true_causes_oracle::"; \
	echo "oracle of the loss ledger: PROPTEST_CASES=$(ORACLE) PROPTEST_RNG_SEED=$$seed $$oracle"; \
	PROPTEST_CASES=$(ORACLE) PROPTEST_RNG_SEED=$$seed $$oracle --quiet --no-fail-fast >$$log 2>&1 \
		|| { grep -E "FAILED|losses: |^seed|cc " $$log; failed=1; }; \
	for round in $$(seq $(ROUNDS)); do \
		seed=$$RANDOM$$RANDOM; \
		echo "round $$round of $(ROUNDS): make test-rust PROPTEST_SEED=$$seed"; \
		PROPTEST_RNG_SEED=$$seed cargo test --workspace --locked --release --quiet --no-fail-fast >$$log 2>&1 \
			|| { grep -E "FAILED|panicked|minimal failing" $$log; failed=1; }; \
	done; rm -f $$log; test -z "$$failed"

# In the profile of the tests, with debug assertions and overflow checks.
RUNS ?= 20000
FROM ?= 0

torture:
	TORTURE_RUNS=$(RUNS) TORTURE_FROM=$(FROM) cargo test -p tworay-sim --locked --test torture every_invariant -- --nocapture

# More than there are of any kind.
EACH ?= 100000

disk-faults: setup
	TWORAY_DISK_FAULTS=$(EACH) $(BIN)/pytest --capture=no python/tests/test_faulty_disk.py python/tests/test_many_writers.py

day: setup
	$(BIN)/python -m studies.day

mutants:
	python3 studies/mutants.py --golden $(if $(filter-out 100000,$(EACH)),--each $(EACH))

test-python: python-checks

# Builds once, beside the Rust checks. Where it can't, the tests go on, and their last line says what was not tested.
virtual-kernel: loader test-tools
	@scripts/timed.sh "virtual kernel" $(BIN)/tworay live kernel build >/dev/null || echo "no kernel for virtual time: its tests are left out"

python-checks: python-lint python-tests

# `make setup` leaves it out where clang is missing, which the tests have installed.
loader: setup compile-tools
	scripts/setup.sh kernel

python-lint: setup
	$(BIN)/ruff check python studies docs/make
	$(BIN)/ruff format --check python studies docs/make
	scripts/timed.sh "mypy" $(BIN)/mypy
	scripts/timed.sh "stubtest" $(BIN)/stubtest --mypy-config-file python/stubtest.ini tworay._native

# Three processes: one has the tests of this machine's kernel, which often wait; most of the others' time goes to short commands,
# which keep one core busy each. No test waits longer than pyproject.toml lets it; the whole has an end as well, so that a process
# that doesn't end can't hide what the others said. Compiled files of Python are kept even where the environment says not to:
# without them each command takes a fifth longer.
python-tests: virtual-kernel
	env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(CURDIR)/$(VENV)/compiled scripts/timed.sh "pytest" timeout --kill-after=60 2700 $(BIN)/pytest --numprocesses 3

fmt:
	cargo fmt --all
	$(BIN)/ruff check --fix python studies docs/make
	$(BIN)/ruff format python studies docs/make

clean:
	rm -rf $(VENV) python/tworay/_native*.so python/tworay/kernel/tworay-kernel
	cargo clean

# make peers   runs ns-2, ns-3, this kernel (as root) and tworay on the same scenarios and writes docs/studies/validation.md (QUICK=1: prints a subset; ONLY=ns3,kernel: chapters; ONLY=air: today's radios against ns-3, whose figures REFERENCE=DIR takes from tables)
# make bench   measures the CPU time of each for the same scenarios and writes docs/studies/performance.md (QUICK=1: prints a subset)
# make instructions   counts the instructions of ten short runs with callgrind and compares them with the committed counts (part of `make test`, which allows 2 % more)
# make circles        counts import circles between the source files of each crate (part of `make test`)
# make twins          draws scenarios with one disturbance and compares the causes of their losses with runs without it (SEED=1 COUNT=150)
# make causes         draws scenarios with up to three disturbances and checks each loss's cause by geometry, times and a run without them (SEED=1 COUNT=100; LIGHT=1: no overloads, three such runs)
# make scaling     cost of a delivered packet-hop with 100, 900 and 10,000 nodes
# make changed-constants   changes ten constants, one at a time, and checks that the golden test notices each
.PHONY: peers bench instructions circles twins causes scaling changed-constants
comma := ,
ONLY_CHAPTERS = $(foreach name,$(subst $(comma), ,$(ONLY)),--only $(name))

peers: setup
	$(BIN)/python -m studies.peers validate $(if $(QUICK),--quick) $(if $(REFERENCE),--reference $(REFERENCE)) $(ONLY_CHAPTERS)

bench: setup
	$(BIN)/python -m studies.peers bench $(if $(QUICK),--quick)

instructions: setup
	python3 studies/instructions.py

circles:
	python3 studies/circles.py --all

twins: setup
	$(BIN)/python studies/twins.py $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

causes: setup
	$(BIN)/python -m studies.causes $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(if $(LIGHT),--light)

scaling: setup
	$(BIN)/python studies/scaling.py

changed-constants:
	python3 studies/changed_constants.py

# make pictures   runs the comparison of `make run` and draws the picture in the README
.PHONY: pictures
pictures: setup
	$(BIN)/tworay compare strip-50 --tcp tahoe,reno,newreno,sack --seeds 30 --out .tworay-cache/strip-50 >/dev/null
	mkdir -p docs/images && $(BIN)/tworay plot .tworay-cache/strip-50 box -o docs/images/strip-50.svg
	rm -rf .tworay-cache/strip-50

# make kernel-costs   measures the cost of TCP in this machine's kernel, as root; writes docs/studies/kernel-costs.md
.PHONY: kernel-costs
kernel-costs: kernel
	$(BIN)/python -m studies.kernel_costs
# make kernel-strings   compares the kernel controllers with the simulated variants over static strings, in real time (as root, 6 minutes); prints the table of docs/guide/kernel.md
.PHONY: kernel-strings
kernel-strings: kernel
	$(BIN)/python -m studies.live.strings
# make kernel-matrix   boots Debian's kernels 6.1 and 6.12 in an emulator, tries every controller there, and writes docs/studies/kernel-matrix.md (10 minutes; gets 190 MB of packages, and installs QEMU if it is missing)
.PHONY: kernel-matrix
kernel-matrix: kernel
	scripts/setup.sh matrix
	$(BIN)/python -m studies.kernel_matrix
# make virtual-study  compares the kernel's congestion controllers in virtual time with the simulated ones over SEEDS=50 seeds, and writes docs/studies/kernel-against-simulation.md; finished runs are kept in target/virtual-study
# make virtual-live   compares kernels in virtual time with this machine's in real time (as root), and writes docs/studies/virtual-and-real-time.md
# make mesh-routing   compares simulated routing with daemons over three fields, and writes docs/studies/mesh-routing.md
.PHONY: virtual-study virtual-live mesh-routing
virtual-study virtual-live mesh-routing: SEEDS = 50
virtual-study: virtual-kernel
	$(BIN)/python -m studies.virtual against-simulation --seeds $(SEEDS)
virtual-live: virtual-kernel
	$(BIN)/python -m studies.virtual real-time --seeds $(SEEDS)
mesh-routing: virtual-kernel
	$(BIN)/python -m studies.virtual mesh-routing --seeds $(SEEDS)
# make live-study  runs this machine's kernels in the paper's loss situations, in real time (as root, 15 minutes); writes docs/studies/live.md
# make live-long   adds ten minutes of five flows among 50 moving nodes, and 20 MB over four hops (as root)
# make live-outages  measures the guesses of the kernel's WELCOME about a broken path (as root, 2 minutes)
.PHONY: live-study live-outages live-long
live-study live-outages live-long: test-tools
	$(BIN)/python -m studies.live $(subst live-,,$@)
# make wheel   builds a wheel for x86-64 Linux and the packed sources into dist/, and checks the wheel (clang, libelf-dev, zlib1g-dev)
# make wheel-check   installs the wheel where there is no compiler, and uses it: comparison, report, figure, sweep, notebook (root, or user namespaces)
# make release VERSION=0.2.0   sets the version everywhere, dates the changelog, and runs make test, gallery, site, docs-check, wheel and wheel-check (two hours); the same command again after a check that failed
.PHONY: wheel wheel-check release
wheel: $(VENV)/.python
	rm -f dist/tworay-*.whl dist/tworay-*.tar.gz
	scripts/setup.sh wheel
	$(BIN)/python -m studies.packaging.wheel dist/tworay-*.whl

wheel-check: $(VENV)/.python
	$(BIN)/python -m studies.packaging.smoke dist

# The version is checked before anything is built.
release:
	$(if $(VERSION),,$(error which version? Write make release VERSION=0.2.0))
	@$(MAKE) --no-print-directory setup
	$(BIN)/python -m studies.packaging.release $(VERSION)
	$(MAKE) test
	$(MAKE) gallery site docs-check
	@git diff --exit-code --stat docs || { echo "these pages or pictures were older than the program: look at them, commit them alone (git commit docs), and run make release again" >&2; exit 1; }
	$(MAKE) wheel
	$(MAKE) wheel-check
	@echo "dist/ holds the release; next: git commit -am \"Release $(VERSION)\" && git tag v$(VERSION)"
# make site    builds the site of the documentation into target/site (open target/site/index.html) and checks its links
# make pages   writes the generated pages of the reference anew (commands, scenario, metrics, variants, Python, mechanisms of the papers), and the notebooks
# make gallery runs the commands of docs/make/gallery.toml and writes the pictures and docs/gallery.md (two minutes)
# make docs-check   runs the commands and Python blocks of README and docs and compares the output that they show (an hour or so; PAGES="docs/guide/tour.md" for some)
# make docs-follow   makes the changes of docs/guide/add-a-*.md in a copy below target/follow, builds it, and runs the pages' commands (10 minutes the first time)
# make paper   fills docs/studies/what-held.md from the stored cells and sets what-held.pdf, at most four pages (gets pandoc and typst from PyPI, 70 MB)
.PHONY: site pages gallery docs-check docs-follow paper
site: setup
	$(BIN)/python docs/make/build_site.py

pages: setup
	for page in commands scenario metrics variants python radios mechanisms; do $(BIN)/python docs/make/$${page}_page.py || exit 1; done
	$(BIN)/python docs/make/notebooks.py

gallery: setup
	$(BIN)/python docs/make/gallery.py

docs-check: setup
	$(BIN)/python docs/make/check_blocks.py $(PAGES)

docs-follow: setup
	$(BIN)/python docs/make/follow_pages.py $(PAGES)

$(VENV)/.paper: $(VENV)/.python requirements-paper.txt scripts/setup.sh
	@began=$$(mktemp) && scripts/setup.sh paper && touch -r $$began $@ && rm -f $$began

paper: setup $(VENV)/.paper
	$(BIN)/python docs/make/what_held.py
