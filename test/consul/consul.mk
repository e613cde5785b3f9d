# The conformance test of daemon/store/consul and some scenarios with a real Consul, included by the Makefile at the root.
# Building the server takes about six minutes once; it is kept in .cache and never shipped.

.cache/consul: test/consul/main.go test/consul/go.mod
	mkdir -p .cache
	cd test/consul && CGO_ENABLED=0 nice go build -mod=mod -trimpath -ldflags "-s -w" -o ../../.cache/consul .

.PHONY: test-consul
test-consul: .cache/consul
	CGO_ENABLED=1 go test -race -tags consul ./daemon/store/consul
	go test -count=1 -timeout 15m -v -tags consul ./test/scenario -run TestScenariosOnConsul
