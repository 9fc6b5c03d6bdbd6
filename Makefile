# What a contributor and CI need. `make help` lists it. The scripts under tools/ do the work, and say why they do it so.
GO      ?= go
ARCH    ?= $(shell $(GO) env GOARCH)
VERSION ?= 0.0.0-dev
# The commit and its date, for "bellhop version". They are empty outside of a repository.
COMMIT  := $(shell git rev-parse HEAD 2>/dev/null)
DATE    := $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null)
STAMP   := -X main.commit=$(COMMIT) -X main.date=$(DATE)
export GO COMMIT DATE
# All programs and tests are built as a release is, so they share the compiled packages, also with other checkouts and before and
# after a C compiler is installed. -dwarf=false and -s leave out what only a debugger reads: a fifth of the compiler's work and a third
# of the linker's. Both collect garbage only from 1 GiB on, which very few packages need: it saves a quarter of their processor time.
export GOFLAGS += -buildvcs=false -trimpath -gcflags=all=-dwarf=false -ldflags=-s '-toolexec=env GOGC=off GOMEMLIMIT=1GiB'
export CGO_ENABLED = 0
# A Node.js that tools/deps installed comes first.
export PATH := $(CURDIR)/.cache/node/node_modules/.bin:$(PATH)

.PHONY: help run build test check libraries quick lint fmt golden docs docs-generate fuzz cover faults soak bench shots vuln fresh dist dist-test image npm

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## run the service with the demo world on http://127.0.0.1:8080
	$(GO) run -ldflags="$(STAMP)" ./cmd/bellhop dev

build: ## build the binary into ./bin, without debug information
	$(GO) build -ldflags="-s -w $(STAMP)" -o bin/bellhop ./cmd/bellhop

test: ## the tests of the packages and a short look at the pages, in minutes; as root on Debian it installs what they need
	@tools/test

check: ## all that CI runs after "make test"; PARTS="race lint" runs only these, tools/check lists them
	@tools/check $(PARTS)

libraries: ## bots with client libraries in six languages, those whose toolchain is there; NAMES="jda hikari" runs only these
	@tools/libraries $(NAMES)

quick: ## vet and the tests of packages that start no other programs, in seconds
	$(GO) vet ./... && $(GO) test -short $$($(GO) list ./... | grep -Ev '/(cmd/bellhop|sqlite|postgres|redis|gateway|guide|conformance|scenario|cluster)$$')

lint: ## golangci-lint, pinned in tools/go.mod, and the checks of the JavaScript; WEB=web runs only the latter
	@tools/lint $(WEB)

fmt: ## format the code
	@tools/lint --fix

golden: ## rewrite the golden files from what the code does now; review the diff
	$(GO) test ./command ./conformance ./internal/dispatch ./internal/rules/interaction ./internal/rules/lobby ./internal/rules/message ./internal/api/v10 ./internal/ratelimit ./internal/world -update

docs: ## render the documentation into ./site; the service has the same pages at /docs/
	$(GO) run ./cmd/bellhop docs -o site

docs-generate: ## rewrite the pages of docs/ that are generated from the code
	$(GO) test -p 1 ./docs/guide ./internal/server ./internal/docsite ./cmd/bellhop -count=1 -run '^Test(Kits$$|Docs(Reference|Reading))' -update

fuzz: ## fuzz every target for FUZZ (20s)
	@tools/fuzz $(FUZZ)

# The tests of an edge speak to several packages at once: each counts what it reaches of all of them.
cover: ## test coverage by function
	$(GO) test -coverpkg=./... -coverprofile=cover.out ./... && $(GO) tool cover -func=cover.out | tail -1

FAULTS ?= 300
KILLS  ?= 1000
faults: ## FAULTS (300) random faults on six nodes, and KILLS (1000) of a node with SQLite; writes the results to docs/faults.md
	BELLHOP_FAULTS=$(FAULTS) BELLHOP_KILLS=$(KILLS) BELLHOP_FAULTS_RESULTS=$(CURDIR)/docs/faults.md \
		$(GO) test ./internal/cluster -count=1 -timeout 3h -parallel 1 -run '^Test(Faults|Kill)$$' -v

SOAK ?= 1h
soak: build ## SOAK (1h) of mixed traffic with restarts; fails if memory, rows or latency grow, and draws docs/diagrams/soak.svg
	cd bench && $(GO) run ./soak -for $(SOAK) -bellhop $(CURDIR)/bin/bellhop -plot $(CURDIR)/docs/diagrams/soak.svg

bench: ## measure the service against the machine's limit; BENCH=-quick only sees that the benchmarks work
	cd bench && $(GO) run . $(BENCH)

shots: build ## screenshots of each page at three widths in light and dark, into docs/shots; PAGES="play traffic" only of these
	cd e2e && npm ci --prefer-offline --no-audit --no-fund && BELLHOP_BINARY=$(CURDIR)/bin/bellhop node shots.mjs $(PAGES)

vuln: ## look for known vulnerabilities, where the database of Go can be reached
	@tools/vuln

fresh: ## "make test" and "make check" on new Debian systems in chroots (as root; an hour or two)
	@tools/fresh

SNAPSHOT ?= --snapshot
dist: ## archives, packages, checksums, lists of modules and npm packages of a release in ./dist; SNAPSHOT= for a tag
	@tools/release/dist $(SNAPSHOT)

dist-test: dist ## install and use what "make dist" made, in a new Debian system (as root on Linux)
	@tools/release/try-dist

image: ## a container image for Linux as an OCI archive in ./dist, without a container engine; as root it is tried in a chroot
	@tools/release/build-image $(ARCH) $(VERSION) "$(STAMP)"

npm: build ## pack the npm packages with the binary of this machine into ./dist/npm
	node npm/pack.mjs $(VERSION) dist/npm $$(node -p 'process.platform + "-" + process.arch')=bin/bellhop
