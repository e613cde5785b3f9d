# The alerts and dashboards of deploy/monitoring, checked with Prometheus' parsers, included by the Makefile at the root.

.PHONY: test-monitoring
test-monitoring: ## check the alerts and dashboards with the parsers of Prometheus
	cd test/monitoring && CGO_ENABLED=0 nice go test -mod=mod -vet=off -count=1 ./...
