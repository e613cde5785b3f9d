// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// A token proves that its holder may join, and the connection proves the address of the client. The names and addresses in a certificate
// request are claims: clients that check only these, such as curl and Prometheus, would accept the holder as the server at that address.

// claimed refuses names and addresses of a host that asks to be an agent, if they belong to another host: one that is certified for them, a
// registered one, or a netmaster. The client's address is its own, and so are the names at that address.
func (e *Enroller) claimed(v *catalog.View, w *wish, from string) error {
	if w.identity.Role != trust.Agent {
		return nil // a token for netmasters gives the authority's key anyway
	}
	if common(from) {
		from = "" // it does not identify the client
	}
	for _, host := range w.request.Hosts() {
		if common(host) || host == from {
			continue
		}
		if owner := e.ownerOf(v, host, w.identity.Name, from); owner != "" {
			return model.Errorf(model.CodeConflict, w.field+".request", "host %s asks to be certified for %s, which is %s's", w.identity.Name, host, owner).
				Try("join from that address, or give the host names and addresses of its own; when the other host is gone for good: netctl node forget NAME, or contiv cert revoke IDENTITY")
		}
	}
	return nil
}

// ownerOf returns the owner, other than a host, of a name or an address that differs from the address from; "" if none is known.
func (e *Enroller) ownerOf(v *catalog.View, host, besides, from string) string {
	for _, c := range v.Certificates() {
		if _, name, ok := strings.Cut(strings.TrimPrefix(c.Identity, "spiffe://contiv/"), "/"); ok && name != besides && c.Valid(e.now()) && !slices.Contains(c.Hosts, from) {
			for _, h := range c.Hosts {
				if strings.EqualFold(h, host) {
					return c.Identity
				}
			}
		}
	}
	for _, h := range v.Hosts() {
		if h.Label != besides && !(from != "" && (h.Control.Addr().String() == from || h.VTEP.String() == from)) && (strings.EqualFold(h.Label, host) || h.Control.Addr().String() == host || h.VTEP.String() == host) {
			return "host " + h.Label
		}
	}
	own := v.Host(besides)
	for _, m := range v.Services(record.ServiceMaster) {
		if m.HostAddr == host && (own == nil || own.Control.Addr().String() != host) && !e.certifiedAt(v, besides, host) {
			return "the netmaster at " + host
		}
	}
	return ""
}

// certifiedAt reports whether a daemon of a host is already certified for an address.
func (e *Enroller) certifiedAt(v *catalog.View, name, address string) bool {
	for _, role := range []trust.Role{trust.Master, trust.Agent} {
		for _, c := range v.CertifiedAs(trust.Identity{Role: role, Name: name}.String()) {
			for _, h := range c.Hosts {
				if h == address && c.Valid(e.now()) {
					return true
				}
			}
		}
	}
	return false
}

// common reports whether a name or an address is every host's.
func common(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || strings.EqualFold(host, "localhost")
}

// dismissed refuses a token for an identity of which a certificate was revoked after the token was made: a token from before its removal
// does not readmit a host. Certificates that the host itself gave up, or that another of the same host replaced, do not count.
func (e *Enroller) dismissed(v *catalog.View, w *wish, by *record.JoinToken) error {
	for _, c := range v.CertifiedAs(w.identity.String()) {
		if c.Revoked.After(by.Made) && c.RevokedBy != c.Identity && c.RevokedBy != replaced {
			return model.Errorf(model.CodeDenied, "token", "the token was made before a certificate of %s was revoked", w.identity).Try("contiv token create makes another, by which that host may join again")
		}
	}
	return nil
}

// replaced is the reason for which a certificate was revoked if its host has another one.
const replaced = "the host joined again, or another in its place"
