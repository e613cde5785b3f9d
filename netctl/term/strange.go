package term

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
)

// strange reaches servers of which only the machine's authorities could tell who they are.
type strange struct{ http.RoundTripper }

// RoundTrip sends a request. A server that none of them certifies may be a netmaster, of a cluster whose authority is not known here.
func (s strange) RoundTrip(q *http.Request) (*http.Response, error) {
	answer, err := s.RoundTripper.RoundTrip(q)
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return nil, fmt.Errorf("%w; to trust a netmaster, copy the cluster's ca.crt to ~/.netctl/trust, or set $%s to its directory", err, TrustVariable)
	}
	return answer, err
}

// CloseIdleConnections closes what is kept open for later.
func (s strange) CloseIdleConnections() {
	if c, ok := s.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
