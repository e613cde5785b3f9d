// SPDX-License-Identifier: Apache-2.0

// Package trust authenticates the daemons and users of a cluster: it has the cluster's certificate authority, the certificates, and
// the TLS configurations with which they prove their identities to each other.
package trust

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"strings"
)

// Role is the role of a certificate's holder in the cluster.
type Role string

// The roles.
const (
	Master  Role = "master"  // a netmaster; named as its host
	Agent   Role = "agent"   // a netplugin; named by its host's label
	User    Role = "user"    // a person or a script; authorizations determine its rights
	Monitor Role = "monitor" // reads metrics and health of every daemon, and nothing else
)

// domain is the trust domain of identities. It is the same for all clusters, which differ by their authorities.
const domain = "contiv"

// Identity is what a certificate proves. It is encoded as a URI among the subject's alternative names (SPIFFE ID, section 2):
// spiffe://contiv/agent/h1.
type Identity struct {
	Role Role
	Name string
}

// String returns the identity as a URI.
func (i Identity) String() string { return i.URI().String() }

// URI returns the identity as a URI. It escapes reserved characters in the name, such as a slash, so that different identities have
// different URIs.
func (i Identity) URI() *url.URL {
	return &url.URL{Scheme: "spiffe", Host: domain, Path: "/" + string(i.Role) + "/" + i.Name, RawPath: "/" + string(i.Role) + "/" + url.PathEscape(i.Name)}
}

// maxName is the maximum length of an identity's name, in bytes.
const maxName = 253

// Check returns an error if the identity cannot be certified.
func (i Identity) Check() error {
	switch i.Role {
	case Master, Agent, User, Monitor:
	default:
		return fmt.Errorf("role: got %q, want %s, %s, %s or %s", i.Role, Master, Agent, User, Monitor)
	}
	if i.Name == "" || len(i.Name) > maxName || strings.ContainsFunc(i.Name, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '/' }) {
		return fmt.Errorf("name: got %q, want 1 to %d printable ASCII characters without a space or a slash", i.Name, maxName)
	}
	return nil
}

// Parse reads an identity from its URI.
func Parse(u *url.URL) (Identity, error) {
	rest, ok := strings.CutPrefix(u.Path, "/")
	role, name, found := strings.Cut(rest, "/")
	i := Identity{Role(role), name}
	if u.Scheme != "spiffe" || u.Host != domain || !ok || !found || u.RawQuery+u.Fragment != "" || u.User != nil {
		return Identity{}, fmt.Errorf("identity: got %q, want a URI like %s", u, Identity{Agent, "h1"})
	}
	return i, i.Check()
}

// Of returns the identity that a certificate proves, once its chain is verified. A certificate with several URIs proves none.
func Of(c *x509.Certificate) (Identity, error) {
	if len(c.URIs) != 1 {
		return Identity{}, fmt.Errorf("the certificate of %q: got %d URIs, want one with its identity", c.Subject, len(c.URIs))
	}
	return Parse(c.URIs[0])
}

// Peer returns the verified identity of a connection's peer, and false if the peer has proved none.
func Peer(s *tls.ConnectionState) (Identity, bool) {
	if s == nil || len(s.VerifiedChains) == 0 {
		return Identity{}, false
	}
	i, err := Of(s.VerifiedChains[0][0])
	return i, err == nil
}
