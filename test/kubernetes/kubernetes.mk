# Kubernetes and what a cluster needs beside it, for test/kubernetes and contiv lab up --kubernetes, included by the Makefile at the
# root. build/go.mod says which version, after which the folder is called; what is in that folder is not built again. Building takes
# six minutes once; nothing of it is shipped.

KUBERNETES_VERSION := $(shell awk '$$1 == "k8s.io/kubernetes" {print $$2} $$2 == "k8s.io/kubernetes" {print $$3}' test/kubernetes/build/go.mod)
KUBERNETES         := .cache/kubernetes/$(KUBERNETES_VERSION)
KUBERNETES_NAME    := -X k8s.io/component-base/version.gitVersion=$(KUBERNETES_VERSION) -X k8s.io/component-base/version.gitMajor=1 \
	-X k8s.io/component-base/version.gitMinor=$(word 2,$(subst ., ,$(KUBERNETES_VERSION)))
KUBERNETES_BUILD   := CGO_ENABLED=0 nice -n 15 go build -trimpath -o $(CURDIR)/$(KUBERNETES)/

$(KUBERNETES)/kube:
	@mkdir -p $(KUBERNETES)
	cd test/kubernetes/build && $(KUBERNETES_BUILD) -ldflags '-s -w $(KUBERNETES_NAME)' ./kube
	ln -sf kube $(KUBERNETES)/kubectl

# For clusters that kubeadm makes, on booted machines.
$(KUBERNETES)/helm:
	@mkdir -p $(KUBERNETES)
	cd test/helm && $(KUBERNETES_BUILD)helm -ldflags '-s -w' helm.sh/helm/v3/cmd/helm

$(KUBERNETES)/etcd:
	@mkdir -p $(KUBERNETES)
	cd test/kubernetes/build && $(KUBERNETES_BUILD)etcd -ldflags '-s -w' go.etcd.io/etcd/server/v3

$(KUBERNETES)/agnhost:
	@mkdir -p $(KUBERNETES)
	cd test/kubernetes/build && $(KUBERNETES_BUILD) -ldflags '-s -w' k8s.io/kubernetes/test/images/agnhost

# What agnhost's porter shows clients that speak TLS.
$(KUBERNETES)/localhost.crt $(KUBERNETES)/localhost.key: $(KUBERNETES)/localhost.%:
	@mkdir -p $(KUBERNETES)
	cd test/kubernetes/build && install -m 0644 "$$(go list -m -f '{{.Dir}}' k8s.io/kubernetes)/test/images/agnhost/porter/localhost.$*" $(CURDIR)/$@

$(KUBERNETES)/ginkgo:
	@mkdir -p $(KUBERNETES)
	cd test/kubernetes/build && $(KUBERNETES_BUILD) -ldflags '-s -w' github.com/onsi/ginkgo/v2/ginkgo

$(KUBERNETES)/network.test:
	@mkdir -p $(KUBERNETES)
	cd test/kubernetes/build && CGO_ENABLED=0 nice -n 15 go test -c -vet=off -trimpath -ldflags '-s -w $(KUBERNETES_NAME)' \
		-o $(CURDIR)/$@ ./network

$(KUBERNETES)/coredns:
	@mkdir -p $(KUBERNETES)
	cd test/kubernetes/coredns && $(KUBERNETES_BUILD) -ldflags '-s -w' .

$(KUBERNETES)/cni/loopback:
	@mkdir -p $(KUBERNETES)/cni
	cd test/kubernetes/cni && $(KUBERNETES_BUILD)cni/ -ldflags '-s -w' tool

# What a lab runs, without the suite: all that make test-kubernetes needs.
.PHONY: kubernetes-programs
kubernetes-programs: $(addprefix $(KUBERNETES)/,kube etcd agnhost localhost.crt localhost.key cni/loopback coredns)

# What a cluster of kubeadm needs beside them.
.PHONY: kubernetes-helm
kubernetes-helm: $(KUBERNETES)/helm

.PHONY: kubernetes
kubernetes: kubernetes-programs $(addprefix $(KUBERNETES)/,ginkgo network.test) ## build Kubernetes, its network tests and CoreDNS into .cache/kubernetes, once
