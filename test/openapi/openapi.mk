# api/openapi.yaml, checked with kin-openapi, included by the Makefile at the root.

.PHONY: test-openapi
test-openapi: ## check api/openapi.yaml with kin-openapi
	cd test/openapi && CGO_ENABLED=0 nice go test -mod=mod -vet=off -count=1 ./...
