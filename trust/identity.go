// Package trust is who is who in a cluster: a certificate authority of its own, the certificates of its daemons and users, and
// the configurations of TLS by which they prove to each other who they are.
package trust

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"strings"
)

// Role is what the holder of a certificate is in the cluster.
type Role string

// The roles.
const (
	Master  Role = "master"  // a netmaster; named as its host
	Agent   Role = "agent"   // a netplugin; named by its host's label
	User    Role = "user"    // a person or a script; authorizations have its permissions
	Monitor Role = "monitor" // reads metrics and health of every daemon, and nothing else
)

// domain is the trust domain of identities. Their authorities distinguish clusters, not names.
const domain = "contiv"

// Identity is what a certificate proves, as a URI among its subject's alternative names (SPIFFE ID, section 2): spiffe://contiv/agent/h1.
type Identity struct {
	Role Role
	Name string
}

// String is the identity as a URI.
func (i Identity) String() string { return i.URI().String() }

// URI is the identity as a URI. A slash or another reserved character in the name is escaped, so that no two identities share one.
func (i Identity) URI() *url.URL {
	return &url.URL{Scheme: "spiffe", Host: domain, Path: "/" + string(i.Role) + "/" + i.Name, RawPath: "/" + string(i.Role) + "/" + url.PathEscape(i.Name)}
}

// maxName bounds the name of an identity, in bytes.
const maxName = 253

// Check returns an error for an identity that cannot be certified.
func (i Identity) Check() error {
	switch i.Role {
	case Master, Agent, User, Monitor:
	default:
		return fmt.Errorf("role %q: it is %s, %s, %s or %s", i.Role, Master, Agent, User, Monitor)
	}
	if i.Name == "" || len(i.Name) > maxName || strings.ContainsFunc(i.Name, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '/' }) {
		return fmt.Errorf("name %q: it has 1 to %d printable ASCII characters without a space or a slash", i.Name, maxName)
	}
	return nil
}

// Parse reads an identity from its URI.
func Parse(u *url.URL) (Identity, error) {
	rest, ok := strings.CutPrefix(u.Path, "/")
	role, name, found := strings.Cut(rest, "/")
	i := Identity{Role(role), name}
	if u.Scheme != "spiffe" || u.Host != domain || !ok || !found || u.RawQuery+u.Fragment != "" || u.User != nil {
		return Identity{}, fmt.Errorf("%q is no identity of a cluster: it is like %s", u, Identity{Agent, "h1"})
	}
	return i, i.Check()
}

// Of is the identity that a certificate proves, once its chain is verified. One with two identities proves none.
func Of(c *x509.Certificate) (Identity, error) {
	if len(c.URIs) != 1 {
		return Identity{}, fmt.Errorf("the certificate of %q: got %d URIs, want one with its identity", c.Subject, len(c.URIs))
	}
	return Parse(c.URIs[0])
}

// Peer is who is at the other end of a connection, as it has proved; false: it has proved nothing.
func Peer(s *tls.ConnectionState) (Identity, bool) {
	if s == nil || len(s.VerifiedChains) == 0 {
		return Identity{}, false
	}
	i, err := Of(s.VerifiedChains[0][0])
	return i, err == nil
}
