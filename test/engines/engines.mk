# A Docker engine of the newest generation with its command, containerd and runc, for test/docker and contiv lab up --docker-bin,
# included by the Makefile at the root. go.mod here says which versions. Building takes some minutes once; the programs are kept
# in .cache/engines and never shipped.

ENGINE_MODULE = $$(go list -m -f '{{.Version}}' $(1))

# runc is C in part; Kubernetes wants it to have libseccomp, the Docker engines of a lab do without.
.cache/engines/runc: test/engines/go.mod test/engines/go.sum test/engines/engines.mk
	mkdir -p .cache/engines
	cd test/engines && CGO_ENABLED=1 nice go build -trimpath $(if $(wildcard /usr/include/seccomp.h),-tags seccomp) -ldflags "-s -w" \
		-o ../../.cache/engines/ github.com/opencontainers/runc

# The docker command has no go.mod, so its language version has to be said.
.cache/engines/dockerd: test/engines/go.mod test/engines/go.sum test/engines/engines.mk
	mkdir -p .cache/engines
	cd test/engines && CGO_ENABLED=0 nice go build -trimpath -gcflags 'github.com/docker/cli/...=-lang=go1.26' \
		-ldflags "-s -w -X github.com/docker/cli/cli/version.Version=$(call ENGINE_MODULE,github.com/docker/cli)" \
		-o ../../.cache/engines/ github.com/containerd/containerd/v2/cmd/containerd \
		github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2 github.com/docker/cli/cmd/docker
	cd test/engines && CGO_ENABLED=0 nice go build -trimpath \
		-ldflags "-s -w -X github.com/moby/moby/v2/dockerversion.Version=$(call ENGINE_MODULE,github.com/moby/moby/v2)" \
		-o ../../.cache/engines/ github.com/moby/moby/v2/cmd/dockerd

.PHONY: engines
engines: .cache/engines/runc .cache/engines/dockerd ## build a Docker engine of the newest generation into .cache/engines, once
