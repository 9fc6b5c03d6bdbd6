# Everything a contributor and CI need. `make help` lists it.
GO      ?= go
TOOL    := $(GO) tool -modfile=tools/go.mod
FUZZ    ?= 20s
export GOFLAGS += -buildvcs=false
# SQLite's translated C allocates outside of Go's heap, where the race detector watches nothing, and is handed nothing from
# inside. What is given up are the C's own global variables; our code and the driver's are
# watched as before, and every address that the C uses is still checked.
RACE    := -race $(foreach pkg,sqlite/lib libc memory,'-gcflags=modernc.org/$(pkg)=-race=false -d=checkptr=1')
# A program under the race detector waits at its end, by default a second, for races that are still to come. Scripts run it
# often.
export GORACE ?= atexit_sleep_ms=100
# Findings that are remembered name the folder they were found in: another checkout must not see them.
export GOLANGCI_LINT_CACHE := $(CURDIR)/.cache/golangci-lint

# A Node.js that tools/deps installed comes first.
export PATH := $(CURDIR)/.cache/node/node_modules/.bin:$(PATH)

# Tests record the traffic of their servers, one file per test program, in a folder outside of the checkout, because go test
# does not cache the results of tests that write into it. A cached result leaves its recording as it is. The results depend on
# the folder's name: if a recording is missing, a new folder makes these tests run again, and no others.
RECORDINGS := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/bellhop/traffic$(CURDIR)
RECORDED := ./internal/apiv10 ./internal/server ./conformance
missing = $(filter-out $(wildcard $(1)/*),$(foreach pkg,$(RECORDED),$(1)/$(notdir $(pkg)).test.jsonl))
TRAFFIC := $(firstword $(foreach dir,$(wildcard $(RECORDINGS)/*),$(if $(call missing,$(dir)),,$(dir))) $(RECORDINGS)/$(shell date +%s))
MAKE_TRAFFIC = [ -d $(TRAFFIC) ] || { rm -rf $(RECORDINGS) && mkdir -p $(TRAFFIC); }
RECORD = BELLHOP_TEST_TRAFFIC=$(TRAFFIC)

.PHONY: help run docs docs-generate openapi-clients build quick test platforms loss bench-test compat example bots scenarios-1000 load-2000 faults e2e first-minute shots signin deps fresh lint web fmt golden fuzz bench bench-quick cover kit kit-node kit-python \
  fidelity fidelity-check vuln dist dist-test image npm release-check

help: ## print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The commit and its date, for "bellhop version". They are empty outside of a repository.
COMMIT  := $(shell git rev-parse HEAD 2>/dev/null)
DATE    := $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null)
STAMP    = -X main.commit=$(COMMIT) -X main.date=$(DATE)
VERSION ?= 0.0.0-dev

run: ## run the service with the demo world on http://127.0.0.1:8080
	$(GO) run -ldflags="$(STAMP)" ./cmd/bellhop dev

docs: ## render the documentation into ./site; the service has the same pages at /docs/
	$(GO) run ./cmd/bellhop docs -o site

docs-generate: ## rewrite the pages of docs/ that are generated from the code
	$(GO) test ./docs/guide -count=1 -run '^TestKits$$' -update
	$(GO) test ./internal/server -count=1 -run '^TestDocs(Reference|Reading)' -update
	$(GO) test ./cmd/bellhop -count=1 -run '^TestDocs(Reference|Reading)' -update

build: ## build the binary into ./bin, without debug information
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w $(STAMP)" -o bin/bellhop ./cmd/bellhop

# tools/release is a module of its own: nothing of goreleaser gets into the other modules.
RELEASE := cd tools/release && GOWORK=off $(GO)
dist: ## archives, packages, checksums, lists of modules and npm packages of a release in ./dist; SNAPSHOT= for a tag
	$(RELEASE) build -o $(CURDIR)/bin/ github.com/goreleaser/goreleaser/v2 ./sbom
	COMMIT=$(COMMIT) DATE=$(DATE) SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) bin/goreleaser release $(SNAPSHOT) --clean --skip=publish --parallelism=2
	tools/release/npm

SNAPSHOT ?= --snapshot

dist-test: dist ## install and use what "make dist" made, in a new Debian system (as root on Linux)
	tools/release/try-dist

ARCH ?= $(shell $(GO) env GOARCH)
image: ## a container image for Linux as an OCI archive in ./dist, without a container engine; as root it is tried in a chroot
	@mkdir -p dist
	CGO_ENABLED=0 GOOS=linux GOARCH=$(ARCH) $(GO) build -trimpath -ldflags="-s -w -X main.version=$(VERSION) $(STAMP)" -o bin/bellhop-linux-$(ARCH) ./cmd/bellhop
	$(RELEASE) build -o $(CURDIR)/bin/ ./image
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) bin/image -binary bin/bellhop-linux-$(ARCH) -arch $(ARCH) -version $(VERSION) -out dist/bellhop_linux_$(ARCH).oci.tar
	tools/release/try-image dist/bellhop_linux_$(ARCH).oci.tar $(ARCH)

npm: build ## pack the npm packages with the binary of this machine into ./dist/npm
	node npm/pack.mjs $(VERSION) dist/npm $$(node -p 'process.platform + "-" + process.arch')=bin/bellhop

release-check: build ## the npm packages, the CI templates, the unit and the chart, without building a release
	$(RELEASE) vet ./... && BELLHOP_BINARY=$(CURDIR)/bin/bellhop GOWORK=off $(GO) test ./...
	cd tools/helm && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) test ./...

# Packages whose tests start engines or other programs, or run under load.
SLOW := /cmd/bellhop$$|/internal/cluster$$|/internal/store/(sqlite|postgres)$$|/internal/(redis|gateway)$$|/docs/guide$$|/conformance$$|/internal/scenario$$

quick: ## vet and most tests, without the race detector, in seconds
	$(GO) vet ./...
	$(GO) test $$($(GO) list ./... | grep -Ev '$(SLOW)')

# The linter includes vet. The npm packages of the kit come before the tests of Go: docs/guide looks at the folder kit/node, so its
# cached result would not outlast their installation.
# e2e takes longest, so it starts first: "-o build" keeps it from waiting for a build that is there.
test: deps lint platforms kit/node/node_modules/.package-lock.json ## all that CI runs
	@mkdir -p .cache && rm -f .cache/not-run
	@$(MAKE_TRAFFIC)
	$(RECORD) $(GO) test $(RACE) -vet=off -timeout 60m ./...
	$(MAKE) build
	$(MAKE) -j 2 -o build $(if $(filter output-sync,$(.FEATURES)),-O) e2e loss bench-test compat example kit signin release-check fidelity-check
	@echo "make test: all tests passed"
	@if [ -s .cache/not-run ]; then cat .cache/not-run; fi

fidelity: ## compare recorded traffic of the tests with the typings of discord-api-types
	@$(MAKE_TRAFFIC)
	$(RECORD) $(GO) test $(RACE) -vet=off -timeout 30m $(RECORDED)
	$(MAKE) fidelity-check

fidelity-check: compat tools/fidelity/node_modules/.package-lock.json
	node tools/fidelity/check.mjs $(TRAFFIC)

PUBLIC := ./command ./permission ./snowflake ./optional ./client ./authorization ./bellhoptest ./conformance
platforms: ## vet the public packages for Linux, macOS and Windows
	$(GO) vet $(PUBLIC)
	GOOS=darwin $(GO) vet $(PUBLIC)
	GOOS=windows $(GO) vet $(PUBLIC)

# Not every system allows network namespaces: containers often do not.
loss: ## the gateway over a network that loses packets
	@if internal/gateway/testdata/lossy true; then \
	  $(GO) test -count=1 -timeout 30m -parallel 16 -exec $(CURDIR)/internal/gateway/testdata/lossy \
	    -run '^Test(ResumeHalfOpen|ResumeUnderCuts|Resume|ResumeRefused|SlowClient|Restart|Compressed|Ready|RequestMembers)$$' ./internal/gateway; \
	else echo "NOT RUN: make loss needs network namespaces, which this system does not allow" | tee -a .cache/not-run; fi

bench-test: ## a smoke run of the benchmarks
	cd bench && $(GO) test $(RACE) -vet=off -timeout 30m ./...

compat: ## real client libraries against the binary
	@$(MAKE_TRAFFIC) && rm -f $(TRAFFIC)/compat.jsonl
	cd compat && $(RECORD) $(GO) test -count=1 -timeout 30m ./...

example: ## the example bot with discordgo
	cd examples/discordgo && $(GO) test -timeout 30m ./...

bots: ## the scenario files of all example bots, also against bots with a mistake
	$(GO) test ./internal/scenario -count=1 -timeout 10m -run '^TestExamples$$' -v

scenarios-1000: ## 1,000 scenarios against the HTTP example; fails after more than 60 s
	GO=$(GO) tools/scenarios-1000

load-2000: ## 2,000 invocations a second of the HTTP example, and the share of the generator in the processor time
	GO=$(GO) tools/load-2000

.PHONY: soak
SOAK ?= 1h
soak: build ## SOAK (1h) of mixed traffic with restarts; fails if memory, rows or latency grow, and draws docs/diagrams/soak.svg
	cd bench && $(GO) run ./soak -for $(SOAK) -bellhop $(CURDIR)/bin/bellhop -plot $(CURDIR)/docs/diagrams/soak.svg

FAULTS ?= 300
faults: ## FAULTS (300) random faults on three nodes, PostgreSQL and Redis; docs/faults.md has results
	BELLHOP_FAULTS=$(FAULTS) $(GO) test ./internal/cluster -count=1 -timeout 90m -run '^TestFaults$$' -v

kit: kit-node kit-python ## the test kits for JavaScript and Python

kit-node: build kit/node/node_modules/.package-lock.json ## the npm package for tests, in node:test, Vitest and Jest
	cd kit/node && BELLHOP_BINARY=$(CURDIR)/bin/bellhop npm test

# The Python of the system has Debian's packages.
kit-python: build ## the plugin for pytest, with discord.py: types and tests
	cd kit/python && /usr/bin/python3 -m mypy --cache-dir=$(CURDIR)/.cache/mypy
	cd kit/python && BELLHOP_BINARY=$(CURDIR)/bin/bellhop PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -q

e2e: build e2e/node_modules/.package-lock.json ## the pages in a real browser, against the binary
	cd e2e && BELLHOP_BINARY=$(CURDIR)/bin/bellhop node --test --test-concurrency=2 --test-timeout=1800000

first-minute: build e2e/node_modules/.package-lock.json ## the time from an empty folder to an answer in the browser, with screenshots
	cd e2e && BELLHOP_BINARY=$(CURDIR)/bin/bellhop node first-minute.mjs

shots: build e2e/node_modules/.package-lock.json ## screenshots of each page at three widths in light and dark, into docs/shots; look at each that changed
	cd e2e && BELLHOP_BINARY=$(CURDIR)/bin/bellhop node shots.mjs $(PAGES)

signin: ## the pages of the sign-in in a real browser
	cd e2e/signin && $(GO) test -count=1 -timeout 30m ./...

deps: ## install what the tests need beside Go, git and make, and is missing; tools/needs is the list
	@tools/deps

fresh: ## both commands of the README on new Debian systems in chroots (as root; an hour or two)
	@tools/fresh

# One run over all modules loads what they share once.
lint: web ## golangci-lint, pinned in tools/go.mod, and the checks of the JavaScript
	$(GO) build -modfile=tools/go.mod -o bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	GOWORK=$(CURDIR)/tools/go.work bin/golangci-lint run ./... ./bench/... ./compat/... ./e2e/signin/... ./examples/discordgo/...
	for module in release helm; do (cd tools/$$module && GOWORK=off ../../bin/golangci-lint run ./...) || exit 1; done

fmt: tools/web/node_modules/.package-lock.json ## format the code
	$(TOOL) golangci-lint fmt ./...
	$(BIOME) --write $(WEB)

WEB   := internal/server/console e2e kit/node npm tools/fidelity examples/discordjs
BIOME := tools/web/node_modules/.bin/biome check --config-path=tools/web
TSC   := tools/web/node_modules/.bin/tsc --project tools/web

# The formatter breaks no comments, strings and templates: grep finds lines of them that are too long.
web: tools/web/node_modules/.package-lock.json e2e/node_modules/.package-lock.json ## check the JavaScript: types, format, lint
	$(TSC)/tsconfig.json
	$(TSC)/tsconfig.node.json
	$(BIOME) --error-on-warnings $(WEB)
	@! LC_ALL=C grep -rnE '^.{121,}' $(foreach ext,js mjs ts css html,--include='*.$(ext)') \
	  $(foreach dir,node_modules vendor signin,--exclude-dir=$(dir)) $(WEB)

%/node_modules/.package-lock.json: %/package-lock.json
	cd $* && npm ci --prefer-offline --no-audit --no-fund --no-progress --loglevel=error

openapi-clients: build ## generate clients for TypeScript and Go from /openapi.json, and compile them (needs npm and Go modules)
	tools/openapi/clients

vuln: ## look for known vulnerabilities, where the database of Go can be reached
	@GO=$(GO) tools/vuln

golden: ## rewrite the golden files from what the code does now; review the diff
	$(GO) test ./command ./conformance ./internal/interaction ./internal/lobby ./internal/message ./internal/apiv10 ./internal/ratelimit ./internal/world -update

fuzz: ## fuzz every target for FUZZ (20s)
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "$$pkg $$target"; $(GO) test $$pkg -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZ) -fuzzminimizetime 5s; \
	  done; \
	done

bench-quick: ## see that the benchmarks work, without judging
	cd bench && $(GO) run . -quick

bench: ## measure the service against the machine's limit
	cd bench && $(GO) run .

# The tests of an edge speak to several packages at once: each counts what it reaches of all of them.
cover: ## test coverage by function
	$(GO) test -coverpkg=./... -coverprofile=cover.out ./... && $(GO) tool cover -func=cover.out | tail -1
