# Packages and other artifacts of a release, included by the Makefile at the root. The packager has a module of its own, so that the
# programs do not depend on it. The same commit gives the same bytes.

DIST            ?= bin/dist
PACKAGES        ?= $(BIN)/packages
DIST_ARCHES     ?= amd64 arm64
DIST_DATE       ?= $(shell git log -1 --format=%ct)
# Between releases, packages have versions that lie before the release, ordered by the time of their commits.
PACKAGE_VERSION ?= $(VERSION)$(shell git describe --tags --exact-match --match 'v$(VERSION)' >/dev/null 2>&1 || git log -1 --date=format:~%Y%m%d%H%M%S --format=%cd)

DIST_TOOL  := .cache/dist/dist
DIST_FILES := .cache/dist/root
DIST_BIN   := .cache/dist/bin

$(DIST_TOOL): $(wildcard dist/*.go) $(wildcard dist/scripts/*) dist/go.mod dist/go.sum
	@mkdir -p $(@D)
	cd dist && $(GO) build -o ../$@ .

.PHONY: packages
packages: $(DIST_TOOL) ## make packages of the programs for this machine's architecture, deb and rpm: bin/packages
	@$(MAKE) --no-print-directory build PROGRAMS='$(filter-out contiv-lab=%,$(PROGRAMS))'
	@rm -rf $(DIST_FILES)
	@$(GO) run ./deploy/files -bin $(BIN) -o $(DIST_FILES) -version '$(VERSION)' -date $(DIST_DATE)
	@$(DIST_TOOL) -bin $(BIN) -root $(DIST_FILES) -version '$(PACKAGE_VERSION)' -arch $$($(GO) env GOARCH) -date $(DIST_DATE) -o $(PACKAGES)

# The daemons list their flags, so those for this machine are among the programs.
.PHONY: dist
dist: $(DIST_TOOL) ## make all artifacts of a release: packages, archives, images, checksums (DIST=bin/dist DIST_ARCHES='amd64 arm64' MINISIGN_KEY=FILE)
	@rm -rf $(DIST) $(DIST_BIN) $(DIST_FILES) && mkdir -p $(DIST)
	@set -e; for arch in $(DIST_ARCHES); do GOARCH=$$arch $(MAKE) --no-print-directory build BIN=$(DIST_BIN)/$$arch PROGRAMS='$(filter-out contiv-lab=%,$(PROGRAMS))'; done
	@$(GO) run ./deploy/files -bin $(DIST_BIN)/$$($(GO) env GOARCH) -o $(DIST_FILES) -version '$(VERSION)' -date $(DIST_DATE)
	@set -e; for arch in $(DIST_ARCHES); do \
		$(DIST_TOOL) -bin $(DIST_BIN)/$$arch -root $(DIST_FILES) -version '$(PACKAGE_VERSION)' -arch $$arch -date $(DIST_DATE) -o $(DIST); \
	done
	@$(GO) run ./deploy/pack -index -bin $(DIST_BIN) -version '$(VERSION)' -date $(DIST_DATE) -o $(DIST)/contiv-images-$(VERSION).tar
	@set -e; for arch in $(DIST_ARCHES); do \
		GOARCH=$$arch $(GO) build -ldflags '$(LDFLAGS)' -o .cache/dist/startovs/$$arch/startovs ./deploy/openvswitch; \
		[ -d .cache/dist/openvswitch/$$arch ] || scripts/openvswitch-root $$arch .cache/dist/openvswitch/$$arch; \
	done
	@$(GO) run ./deploy/pack -openvswitch .cache/dist/openvswitch -bin .cache/dist/startovs -version '$(VERSION)' -date $(DIST_DATE) -o $(DIST)/contiv-openvswitch-images-$(VERSION).tar
	@rm -rf .cache/dist/plugin && cp -a $(DIST_BIN)/$$($(GO) env GOARCH) .cache/dist/plugin
	@$(GO) build -ldflags '$(LDFLAGS)' -o .cache/dist/plugin/startcontiv ./docker/startcontiv
	@$(GO) run ./docker/pack -bin .cache/dist/plugin -version '$(VERSION)' -o .cache/dist/docker-plugin
	@$(DIST_TOOL) -release -bin $(DIST_BIN) -root $(DIST_FILES) -plugin .cache/dist/docker-plugin -chart deploy/helm/contiv -version '$(VERSION)' -date $(DIST_DATE) -key '$(MINISIGN_KEY)' -o $(DIST)

.PHONY: test-dist
test-dist: ## make all artifacts of a release twice, which must have the same bytes, and start the programs for arm64
	@scripts/test-dist
