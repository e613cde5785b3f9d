# Contiv: multi-tenant, policy-driven networking for containers.
# `make demo` shows it, `make test` proves it, `make help` lists the rest.

SHELL    := /bin/bash
GO       ?= go
VERSION  ?= $(shell cat VERSION)
COMMIT   ?= $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)
DATE     ?= $(shell git log -1 --format=%cI 2>/dev/null || echo unknown)
BUILD    := github.com/contiv/contiv/build
# Programs between two releases name their commit: two of them are different builds for contiv upgrade plan.
RELEASED := $(shell git describe --tags --exact-match --match 'v$(VERSION)' 2>/dev/null || git rev-parse --git-dir >/dev/null 2>&1 || echo archive)
LDFLAGS  := -s -w -X $(BUILD).version=$(VERSION)$(if $(RELEASED),,-dev.$(COMMIT)) -X $(BUILD).commit=$(COMMIT) -X $(BUILD).date=$(DATE)
FUZZTIME ?= 10s
BIN      ?= bin
PROGRAMS ?= contiv=console contiv-lab=lab/contivlab netctl=netctl netmaster=daemon/master netplugin=daemon/agent contivk8s=cni netcontiv=cni/netcontiv

# Programs, vet, staticcheck and tests have the same flags, so that a package is compiled once; the race detector, which needs C, has it
# compiled once more.
export CGO_ENABLED := 0
export GOFLAGS     := -trimpath $(GOFLAGS)

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: deps
deps: ## install what is missing on this machine (Debian or Ubuntu, root)
	@scripts/install-deps

.PHONY: test-deps
test-deps:
	@scripts/install-deps test

# The linker writes through a mapping, which leaves a program in the page cache in single pages; a copy of it, as an
# installation makes one, is started sooner: netctl by half the time of executing /bin/true.
.PHONY: build
build: ## build all programs into bin/
	@mkdir -p $(BIN)
	@set -e; for p in $(PROGRAMS); do \
		echo "build $(BIN)/$${p%%=*}"; \
		$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN)/.linked ./$${p##*=}; \
		install $(BIN)/.linked $(BIN)/$${p%%=*}; \
	done
	@rm -f $(BIN)/.linked

.PHONY: generate
generate: ## write the generated code, and the generated pages and pictures of docs
	$(GO) run ./api/gen -root .
	$(GO) test ./netctl/command -run TestReferencePage -update
	$(GO) test ./daemon/master ./daemon/agent -run TestSettingsPage -update
	$(GO) test ./test/coverage ./test/faults -run TestPage -update
	$(GO) test ./console/app -run TestPictures -update

.PHONY: check-generated
check-generated: ## fail when generated code, a generated page or a picture is not up to date
	$(GO) run ./api/gen -root . -check
	$(GO) test ./netctl/command -run TestReferencePage
	$(GO) test ./daemon/master ./daemon/agent -run TestSettingsPage
	$(GO) test ./test/coverage ./test/faults -run TestPage
	$(GO) test ./console/app -run TestPictures

.PHONY: lint
lint: ## formatting, vet, staticcheck, the rules of CONTRIBUTING.md, known vulnerabilities
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$unformatted" ] || { echo "gofmt -w these files:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) test -vet=off .
	@scripts/vulnerabilities

.PHONY: unit
unit: .cache/provider ## unit, conformance and real-switch tests, with the race detector; a large recovery without it (lint vets)
	CGO_ENABLED=1 $(GO) test -race -vet=off -timeout 15m $$($(GO) list ./... | grep -v -e '/contiv$$' -e /test/scenario -e /test/docker -e /test/kubernetes -e '/test/machines$$')
	$(GO) test -vet=off -count=1 -timeout 5m -run TestRecovery ./daemon/store/etcd

.PHONY: scenario
scenario: build ## scenarios on the real lab: whole clusters on this machine, two at a time
	$(GO) test -vet=off -count=1 -timeout 20m -parallel 2 -v ./test/scenario -args -bin $(CURDIR)/bin

.PHONY: scale
scale: build ## 64 agents without switches and 50,000 endpoints, with storms and a restore: what must not happen fails (SCALE='-agents 1000')
	@$(GO) build -o bin/bench/scale ./test/bench/scale
	@bin/bench/scale -check $(or $(SCALE),-agents 64 -for 5s)
	@bin/bench/scale -check -only drill -agents 64

.PHONY: drill
drill: build ## lose all netmasters and the store of 50,000 endpoints, with 1,000 agents that run, and restore a snapshot: prints how long it takes
	@$(GO) build -o bin/bench/scale ./test/bench/scale
	@bin/bench/scale -check -only drill $(or $(DRILL),-agents 1000)

.PHONY: test
test: test-deps build check-generated lint unit scenario faults-short scale ## everything

.PHONY: test-docker
test-docker: ## Docker on the hosts of a lab, with the machine's engine
	@scripts/test-docker

.PHONY: test-docker-all
test-docker-all: ## Docker with the machine's engine and the newest, upgrades, Swarm
	@scripts/test-docker all

.PHONY: test-kubernetes
test-kubernetes: ## Kubernetes on the hosts of a lab, with the machine's containerd
	@scripts/test-kubernetes

.PHONY: test-kubernetes-all
test-kubernetes-all: ## Kubernetes with the machine's containerd and the newest, and its own network tests
	@scripts/test-kubernetes all

.PHONY: docker-plugin
docker-plugin: build ## make the managed Docker plugin of the programs: bin/docker-plugin, for docker plugin create
	@$(GO) build -ldflags '$(LDFLAGS)' -o bin/startcontiv ./docker/startcontiv
	@$(GO) run ./docker/pack -bin bin -version '$(VERSION)' -o bin/docker-plugin
	@echo "docker plugin create contiv/v2plugin bin/docker-plugin   installs it"

.PHONY: kubernetes-images
kubernetes-images: build ## make the container image that deploy/kubernetes runs: bin/contiv-images.tar, for ctr images import
	@$(GO) run ./deploy/pack -bin bin -version '$(VERSION)' -o bin/contiv-images.tar

include test/consul/consul.mk
include test/engines/engines.mk
include test/provider/provider.mk
include test/kubernetes/kubernetes.mk
include test/machines/machines.mk
include dist/dist.mk
include test/monitoring/monitoring.mk
include test/openapi/openapi.mk
include test/helm/helm.mk

.PHONY: fuzz
fuzz: ## fuzz every decoder of outside bytes for FUZZTIME each
	@scripts/fuzz $(FUZZTIME)

.PHONY: calm
calm: test-deps build ## five minutes of a cluster that is well and at work, in which no error may be found
	$(GO) test ./test/scenario -run 'TestScenarios/calm$$' -count=1 -timeout 15m -args -calm 60

.PHONY: campaign
campaign: test-deps build ## an hour of random operations, kills and clones on a lab, with checks (CAMPAIGN='-for 10m -seed 7')
	$(GO) run ./test/campaign $(CAMPAIGN)

.PHONY: faults
faults: test-deps build ## inject the faults of docs/dev/faults.md into a lab: the cause of each has to be the first finding (FAULTS='-pairs 20 -seed 7' or '-quiet 1h')
	@$(GO) build -o bin/bench/faults ./test/faults
	@bin/bench/faults $(FAULTS)

.PHONY: faults-short
faults-short: build
	@$(GO) build -o bin/bench/faults ./test/faults
	@bin/bench/faults -short

.PHONY: bench
bench: test-deps build ## print our figures beside the peers'
	@scripts/bench

.PHONY: pictures
pictures: deps build ## record the pages of docs/pictures on a cluster on this machine, and draw them (make generate draws the recordings)
	@scripts/pictures

.PHONY: demo
demo: deps build ## a 3-host cluster on this machine, proved, and left running
	@bin/contiv-lab demo

.PHONY: demo-down
demo-down: ## remove every trace of the demo
	@if [ -x bin/contiv-lab ]; then bin/contiv-lab down --name demo; else echo "bin/contiv-lab is not built: nothing runs"; fi

.PHONY: print-version
print-version:
	@echo $(VERSION)

.PHONY: clean
clean: ## remove what was built
	rm -rf bin .cache
