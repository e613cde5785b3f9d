// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// Readdress has a host be reached at another address, as far as a request says: it certifies the host's daemons for that address beside the ones that they were certified for, moves the member of
// the embedded store, and revokes certificates for previous addresses. The host's own certificate proves who asks, and the address that the request comes from proves that the
// host has it; an operator needs neither. Each may be repeated. It blocks until the store has the change. Errors are *model.Error.
func (e *Enroller) Readdress(ctx context.Context, q model.ReaddressRequest, proved trust.Identity) (out model.ReaddressAnswer, rev uint64, err error) {
	a, err := e.authority()
	if err != nil {
		return out, 0, err
	}
	m, err := e.move(&q, proved, commit.Actor(ctx).Address)
	if err != nil {
		return out, 0, err
	}
	e.Catalog.View(func(v *catalog.View) { err = e.movable(v, m) })
	if err != nil { // before anything is computed for it
		return out, 0, err
	}
	for _, w := range m.wishes {
		if err := e.issue(a, w, requester(ctx, proved), ""); err != nil {
			return out, 0, err
		}
	}
	at, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		out.Revoked = nil
		if err := e.movable(tx.View, m); err != nil {
			return err
		}
		for _, w := range m.wishes {
			if err := e.moderate(tx.View, w); err != nil {
				return err
			}
			if err := tx.Put(record.Certificates+w.record.Serial, &w.record); err != nil {
				return err
			}
		}
		if q.Only {
			out.Revoked, err = e.withdraw(tx, m, requester(ctx, proved))
		}
		return err
	})
	if err == nil && q.PeerURL != "" {
		err = e.Members.MoveMember(ctx, q.Host, q.PeerURL)
	}
	if err != nil {
		return model.ReaddressAnswer{}, 0, err
	}
	for _, w := range m.wishes {
		if w.identity.Role == trust.Master {
			out.Master = string(w.issued)
		} else {
			out.Agent = string(w.issued)
		}
		e.Log.Info("a host is certified for another address", "identity", w.identity.String(), "address", m.address, "until", w.record.Until)
	}
	if e.Members != nil && proved.Role != trust.Agent {
		out.Members = e.Members.Peers()
	}
	return out, uint64(at), nil
}

// move is a ReaddressRequest that can be carried out as far as the request itself says.
type move struct {
	host          string
	address, vtep netip.Addr
	roles         []trust.Role // of the host, for which the sender speaks
	wishes        []*wish
}

// move reads a request of who has proved to be someone, from an address. Errors are *model.Error.
func (e *Enroller) move(q *model.ReaddressRequest, proved trust.Identity, from string) (*move, error) {
	m := &move{host: q.Host, roles: []trust.Role{trust.Agent, trust.Master}}
	switch {
	case proved.Role == trust.User:
	case proved.Role != trust.Agent && proved.Role != trust.Master:
		return nil, model.Errorf(model.CodeDenied, "", "the request has no certificate of an agent, a netmaster or a user").Try("call contiv readdress on the host, or with a user's certificate")
	case proved.Name != q.Host:
		return nil, model.Errorf(model.CodeDenied, "host", "%s cannot change the address of host %.63q", proved, q.Host).Try("call contiv readdress on that host")
	case proved.Role == trust.Agent && (q.Master != "" || q.PeerURL != ""):
		return nil, model.Errorf(model.CodeDenied, "master", "%s does not speak for the netmaster of the host", proved).Try("call contiv readdress on the host, whose netmaster's certificate proves it")
	case proved.Role == trust.Agent:
		m.roles = m.roles[:1]
	}
	if err := (trust.Identity{Role: trust.Agent, Name: q.Host}).Check(); err != nil {
		return nil, model.Errorf(model.CodeInvalid, "host", "%v", err).Because(err).Try("netctl node ls shows the hosts")
	}
	var err error
	if m.address, err = reachable("address", "--address", q.Address); err != nil {
		return nil, err
	}
	if m.vtep = m.address; q.VTEP != "" {
		if m.vtep, err = reachable("vtep", "--vtep-ip", q.VTEP); err != nil {
			return nil, err
		}
	}
	if came, err := netip.ParseAddr(from); proved.Role != trust.User && (err != nil || came.Unmap() != m.address) {
		return nil, model.Errorf(model.CodeDenied, "address", "the request comes from %s, and only one that comes from %s shows that the host has that address", from, m.address).
			Try("call contiv readdress on the host; where addresses are translated on the way to netmasters, with --as-operator, which takes a user's certificate")
	}
	if u, err := url.Parse(q.PeerURL); q.PeerURL != "" && (err != nil || u.Scheme != "https" || u.Port() == "" || u.Hostname() != m.address.String() || u.Path != "") {
		return nil, model.Errorf(model.CodeInvalid, "peerURL", "%q is not where a member of the store at %s serves others", q.PeerURL, m.address).Try("it is like https://192.0.2.1:2380")
	}
	if q.PeerURL != "" && e.Members == nil {
		return nil, model.Errorf(model.CodeUnsupported, "peerURL", "the cluster's store is beside its netmasters, and no netmaster has a part of it").Try("leave it out")
	}
	return m, m.wish(q)
}

// reachable reads an address at which other hosts are to reach one.
func reachable(field, flag, text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" || a.IsUnspecified() || a.IsLoopback() || a.IsMulticast() || a.IsLinkLocalUnicast() {
		return a, model.Errorf(model.CodeInvalid, field, "%.64q is no address at which other hosts reach one", text).Try("name one of the host's interfaces with %s", flag)
	}
	return a.Unmap(), nil
}

// wish reads which certificates a request asks for.
func (m *move) wish(q *model.ReaddressRequest) error {
	for _, one := range []struct {
		field, text string
		role        trust.Role
	}{{"agent", q.Agent, trust.Agent}, {"master", q.Master, trust.Master}} {
		if one.text == "" {
			continue
		}
		r, err := trust.ParseRequest([]byte(one.text))
		if err != nil {
			return model.Errorf(model.CodeInvalid, one.field, "%v", err).Because(err).Try("contiv readdress makes one")
		}
		m.wishes = append(m.wishes, &wish{field: one.field, identity: trust.Identity{Role: one.role, Name: q.Host}, text: one.text, request: r})
	}
	return nil
}

// movable refuses addresses that are someone else's, a host that has no certificate which counts, and requests for names and addresses that the host was not certified for.
func (e *Enroller) movable(v *catalog.View, m *move) error {
	if owner := e.holderOf(v, m.address.String(), m.host); owner != "" {
		return model.Errorf(model.CodeConflict, "address", "%s is %s's", m.address, owner).
			Try("give the host an address of its own; when the other one is gone for good: netctl node forget NAME, or contiv cert revoke IDENTITY")
	}
	if owner := e.holderOf(v, m.vtep.String(), m.host); owner != "" {
		return model.Errorf(model.CodeConflict, "vtep", "tunnel address %s is %s's", m.vtep, owner).Try("give the host's tunnels an end of its own with --vtep-ip; when the other host is gone for good: netctl node forget NAME")
	}
	for _, w := range m.wishes {
		was := slices.DeleteFunc(v.CertifiedAs(w.identity.String()), func(c *record.Certified) bool { return !c.Valid(e.now()) })
		if len(was) == 0 {
			return model.Errorf(model.CodeDenied, w.field, "%s has no certificate that counts", w.identity).Try("have the host join again: contiv join TOKEN@ADDRESS")
		}
		for _, host := range w.request.Hosts() {
			if host != m.address.String() && !common(host) && !slices.ContainsFunc(was, func(c *record.Certified) bool { return contains(c.Hosts, host) }) {
				return model.Errorf(model.CodeDenied, w.field, "%s is not certified for %s", w.identity, host).Try("have the host join again to be reached under another name: contiv join TOKEN@ADDRESS")
			}
		}
	}
	return nil
}

// holderOf returns the owner of an address, other than a host, or the host that reports it; "" if none is known.
func (e *Enroller) holderOf(v *catalog.View, address, besides string) string {
	if owner := e.ownerOf(v, address, besides, ""); owner != "" {
		return owner
	}
	for _, h := range v.Hosts() {
		if h.Label != besides && slices.ContainsFunc(h.Own, func(p netip.Prefix) bool { return p.Addr().String() == address }) {
			return "host " + h.Label
		}
	}
	return ""
}

// withdraw revokes the certificates of a host that are for other addresses than the one that it moves to, and returns their serials. Each of its daemons that has
// certificates keeps one.
func (e *Enroller) withdraw(tx *commit.Tx, m *move, by string) (serials []string, err error) {
	for _, role := range m.roles {
		who, kept := trust.Identity{Role: role, Name: m.host}, false
		var previous []*record.Certified
		for _, c := range tx.CertifiedAs(who.String()) {
			switch {
			case !c.Valid(e.now()):
			case slices.ContainsFunc(c.Hosts, m.previous):
				previous = append(previous, c)
			default:
				kept = kept || contains(c.Hosts, m.address.String())
			}
		}
		if len(previous) > 0 && !kept {
			return nil, model.Errorf(model.CodeNotReady, "only", "%s has no certificate for %s and no other address", who, m.address).Try("ask for one first, as contiv readdress does")
		}
		for _, c := range previous {
			serials = append(serials, c.Serial)
			if err := e.revoke(tx, c, by); err != nil {
				return nil, err
			}
		}
	}
	return serials, nil
}

// previous reports whether a name or an address is an address that the host moves away from.
func (m *move) previous(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && !common(host) && a.Unmap() != m.address && !strings.EqualFold(host, m.host)
}
