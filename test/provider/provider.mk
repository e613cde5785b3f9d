# A real OpenID provider for test/oidc, of the library github.com/zitadel/oidc, included by the Makefile at the root. It is kept in .cache and never shipped.

.cache/provider: test/provider/main.go test/provider/clients.go test/provider/go.mod test/provider/go.sum
	mkdir -p .cache
	cd test/provider && CGO_ENABLED=0 nice go build -trimpath -ldflags "-s -w" -o ../../.cache/provider .
