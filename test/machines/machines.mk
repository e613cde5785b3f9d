# Booted Debian machines for test/machines, included by the Makefile at the root. What they boot from is kept in .cache/machines.

.PHONY: machines
machines: ## make the root file systems and kernels of booted Debian machines, once (RELEASE=bookworm)
	@scripts/install-deps machines
	@$(GO) run ./test/machines/stand prepare $(RELEASE)

.PHONY: test-machines
test-machines: build ## the installation of docs/tutorials/install.md, the life of a cluster, the switch, and twelve scenarios, on booted Debian 12 machines
	@scripts/test-machines

.PHONY: test-machines-all
test-machines-all: build ## everything on booted machines of each release: the life of a cluster, the demo, all scenarios
	@scripts/test-machines all

.PHONY: bench-machines
bench-machines: build ## print our figures beside the peers' on a booted machine, on the kernel's datapath (RELEASE=trixie)
	@scripts/install-deps machines
	@$(GO) run ./test/machines/stand prepare $(or $(RELEASE),bookworm)
	@$(GO) test -vet=off -count=1 -run '^$$' -bench Figures -benchtime 1x -timeout 60m ./test/machines -args -release $(or $(RELEASE),bookworm)

.PHONY: upgrade-test
upgrade-test: build ## upgrade and downgrade a cluster on booted machines, from an earlier build (FROM=commit RELEASE=bookworm)
	@scripts/install-deps machines
	@$(GO) run ./test/machines/stand prepare $(or $(RELEASE),bookworm)
	@$(GO) test -vet=off -count=1 -run '^TestUpgrade$$' -v -timeout 60m ./test/machines -args -release $(or $(RELEASE),bookworm) $(if $(FROM),-from $(FROM))
