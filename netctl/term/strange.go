// SPDX-License-Identifier: Apache-2.0

package term

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
)

// strange reaches servers that only the machine's authorities could authenticate.
type strange struct{ http.RoundTripper }

// RoundTrip sends a request. A server that none of them certifies may be a netmaster of a cluster whose authority is unknown here.
func (s strange) RoundTrip(q *http.Request) (*http.Response, error) {
	answer, err := s.RoundTripper.RoundTrip(q)
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return nil, fmt.Errorf("%w; to trust a netmaster, copy the cluster's ca.crt to ~/.netctl/trust, or set $%s to its directory", err, TrustVariable)
	}
	return answer, err
}

// CloseIdleConnections closes idle connections.
func (s strange) CloseIdleConnections() {
	if c, ok := s.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
