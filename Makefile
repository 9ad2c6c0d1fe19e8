# Everyday commands. Underneath is plain CMake: see CMakePresets.json.
# Each target installs what is missing first (scripts/setup: silent when nothing is).

JOBS    ?= $(shell nproc)
PREFIX  ?= /usr/local
DESTDIR ?=
SUITE   ?= all
BENCH_OPTIONS ?=
FUZZ_SECONDS ?= 300
SOAK_SECONDS ?= 3600
# Most of the time a case waits: for messages that are late, for a limit, for a signal.
SOAK_JOBS ?= $(shell expr 5 \* $(JOBS))
SOAK_SEED ?= $(shell date +%s)000

TIDELINE := build/release/bin/tideline
# Conformance once more, with native code from the first state on and with other stores, up to a size.
STORES  ?= tree
VARIANT_STATES ?= 3000000
VARIANT := --tideline $(TIDELINE) --jobs $(JOBS) --max-states $(VARIANT_STATES)

.PHONY: release setup demo check asan tsan fuzz soak transcripts conformance bench tables format install package clean help

release: setup build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target tideline --target tideline-certify

setup:
	@scripts/setup

build/%/build.ninja: CMakePresets.json | setup
	@cmake --preset $* --log-level=WARNING && touch $@

demo: release
	@scripts/demo $(TIDELINE)

check: setup build/release/build.ninja
	@scripts/setup --test
	@cmake --build --preset release -j $(JOBS)
	ctest --test-dir build/release --output-on-failure -j $(JOBS)

asan tsan: %: setup build/%/build.ninja
	@cmake --build --preset $@ -j $(JOBS)
	ctest --test-dir build/$@ --output-on-failure -j $(JOBS)

fuzz: setup
	@scripts/fuzz $(FUZZ_SECONDS) $(JOBS)

soak: setup build/release/build.ninja
	@scripts/setup --test
	@cmake --build --preset release -j $(JOBS) --target tideline --target soak
	@python3 tests/soak/soak.py --tideline $(TIDELINE) --soak build/release/tests/soak/soak --seconds $(SOAK_SECONDS) \
	  --jobs $(SOAK_JOBS) --from $(SOAK_SEED) --out build/soak

transcripts: setup build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target transcripts

conformance: release
	@python3 tests/limits/limits.py --tideline $(TIDELINE) --measure
	@python3 tests/conformance/beem.py --tideline $(TIDELINE) --jobs $(JOBS) --out build/conformance/beem.json
	@python3 tests/conformance/promela.py --tideline $(TIDELINE) --jobs $(JOBS) --out build/conformance/promela.json
	@python3 tests/conformance/promela_spin.py --tideline $(TIDELINE) --count 300 || test $$? -eq 77
	@python3 tests/conformance/promela_oracle.py --tideline $(TIDELINE) --count 3000
	@python3 tests/conformance/promela_engines.py --tideline $(TIDELINE) --count 100
	@python3 tests/conformance/promela_trails.py --tideline $(TIDELINE) --count 100 --models || test $$? -eq 77
	@python3 tests/conformance/mcc.py --tideline $(TIDELINE) --jobs $(JOBS) --out build/conformance/mcc.json
	@python3 tests/conformance/beem.py $(VARIANT) --no-hunt --with '--exec native' --out build/conformance/beem-native.json
	@python3 tests/conformance/mcc.py $(VARIANT) --with '--engine bfs --exec native' --out build/conformance/mcc-native.json
	@for store in $(STORES); do \
	  python3 tests/conformance/beem.py $(VARIANT) --no-hunt --no-ltl --sweep-states 0 --with "--store $$store" \
	    --out build/conformance/beem-$$store.json && \
	  python3 tests/conformance/mcc.py $(VARIANT) --with "--engine bfs --store $$store" --out build/conformance/mcc-$$store.json \
	    || exit 1; \
	done
	@python3 tests/conformance/mcc_answers.py --tideline $(TIDELINE) --jobs $(JOBS) --time 300s --memory 8G --out build/conformance/mcc_answers.json

bench: release
	@scripts/setup --bench
	@scripts/bench $(SUITE) $(JOBS) $(BENCH_OPTIONS)

tables:
	@python3 bench/tables.py
	@python3 bench/figures.py --accept

format: setup
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

install: release
	@cmake --build --preset release -j $(JOBS) --target tideline_archive
	DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX)

package: release
	@scripts/setup --package
	@cmake --build --preset release -j $(JOBS) --target tideline_archive
	@rm -rf build/packages
	@cpack --config build/release/CPackConfig.cmake -G "TGZ;DEB" -B build/packages
	@rm -rf build/packages/_CPack_Packages

clean:
	rm -rf build

help:
	@echo 'make               build $(TIDELINE)'
	@echo 'make demo          check a mutual exclusion algorithm, and find the error in a wrong one'
	@echo 'make check         build, run all tests'
	@echo 'make asan | tsan   run the tests under the address and undefined behaviour | thread sanitizers'
	@echo 'make fuzz          fuzz all readers, and native code, with libFuzzer (FUZZ_SECONDS=$(FUZZ_SECONDS), in all)'
	@echo 'make soak          compare all engines on random models, with kills and limits (SOAK_SECONDS=$(SOAK_SECONDS), SOAK_JOBS=$(SOAK_JOBS), SOAK_SEED)'
	@echo 'make tables        put the tables that make bench has measured into the documents, and its figures into bench/figures/'
	@echo 'make transcripts   write what commands print, and the statistics there are, into the documents'
	@echo 'make conformance   compare with the counts and verdicts recorded for BEEM and for nets'
	@echo 'make bench         measure, and compare with the figures in bench/figures/ (SUITE=explore | native | disk | profile | spin | promela | store | stores | certificates | gpu | ltl | owcty | sweep | forecast | ltl-sweep | ctl-sweep | columns | saturation | por | threads | cluster | scaling | all)'
	@echo 'make format        clang-format all sources'
	@echo 'make install       install under PREFIX=$(PREFIX) (DESTDIR is honoured)'
	@echo 'make package       an archive that runs where nothing is installed, and Debian packages, in build/packages/'
	@echo 'make clean         remove build/'
