# The chart of deploy/helm, compared with deploy/kubernetes, included by the Makefile at the root.

.PHONY: test-helm
test-helm: ## check the Helm chart: it renders the objects of deploy/kubernetes, valid for Kubernetes
	cd test/kubernetes/build && nice go mod download k8s.io/kubernetes
	cd test/helm && CGO_ENABLED=0 nice go test -mod=mod -vet=off -count=1 ./...
