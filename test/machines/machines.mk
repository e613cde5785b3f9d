# Booted Debian machines for test/machines, included by the Makefile at the root. What they boot from is kept in .cache/machines.

.PHONY: machines
machines: ## make the root file systems and kernels of booted Debian machines, once
	@scripts/install-deps machines
	@$(GO) run ./test/machines/stand prepare

.PHONY: test-machines
test-machines: build ## the stand, the installation, the demo, the switch and twelve scenarios on a booted Debian 12
	@scripts/test-machines

.PHONY: test-machines-all
test-machines-all: build ## all scenarios too, on booted machines of each release
	@scripts/test-machines all
