// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"net/url"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// Admission is what an admitted host receives.
type Admission struct {
	Authority, Key []byte            // PEM; the key only for netmasters
	Agent, Master  []byte            // certificates, PEM; nil if not requested
	Members        map[string]string // of the embedded store, peer URLs by names
	Member         string            // id of the admitted member, in hexadecimal
}

// wish is one certificate that a host requests.
type wish struct {
	field    string // of the request
	identity trust.Identity
	text     string // of the certificate request
	request  *trust.Request
	issued   []byte // PEM
	record   record.Certified
}

// Join admits a host that holds a token. proved is the identity of its existing certificate, if any. The same request may be repeated; it
// uses the token once. It blocks until the store has the issued certificates. Errors are *model.Error.
func (e *Enroller) Join(ctx context.Context, q model.JoinRequest, proved trust.Identity) (Admission, uint64, error) {
	none := func(err error) (Admission, uint64, error) { return Admission{}, 0, err }
	t, err := trust.ParseToken(q.Token)
	if err != nil {
		return none(model.Errorf(model.CodeInvalid, "token", "%v", err))
	}
	a, err := e.authority()
	if err != nil {
		return none(err)
	}
	e.Catalog.View(func(v *catalog.View) { _, err = e.token(v, &t, true) })
	if err != nil { // before anything is computed for an invalid token
		return none(err)
	}
	wishes, err := wishesOf(&q)
	if err != nil {
		return none(err)
	}
	from := commit.Actor(ctx).Address
	check := func(v *catalog.View) (*record.JoinToken, error) { return e.admissible(v, &t, wishes, proved, from) }
	e.Catalog.View(func(v *catalog.View) { _, err = check(v) })
	if err != nil {
		return none(err)
	}
	var out Admission
	if q.Master != nil && e.Members != nil {
		if out.Members, out.Member, err = e.addMember(ctx, q.Master); err != nil {
			return none(err)
		}
	}
	for _, w := range wishes {
		if err := e.issue(a, w, requester(ctx, proved), t.ID); err != nil {
			return none(err)
		}
	}
	rev, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		known, err := check(tx.View)
		if err != nil {
			return err
		}
		if letIn(tx.View, t.ID, wishes, proved, e.now()) { // which costs no use of the token
			for _, w := range wishes {
				if err := e.moderate(tx.View, w); err != nil {
					return err
				}
			}
		} else {
			used := *known
			used.Used++
			if err := tx.Put(record.JoinTokens+t.ID, &used); err != nil {
				return err
			}
		}
		for _, w := range wishes {
			if err := e.replace(tx, w); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return none(err)
	}
	if out.Authority, err = e.Trust.Trusted(); err == nil && q.Master != nil {
		_, out.Key, err = a.PEM()
	}
	for _, w := range wishes {
		if w.identity.Role == trust.Master {
			out.Master = w.issued
		} else {
			out.Agent = w.issued
		}
		e.Log.Info("a host has joined", "identity", w.identity.String(), "id", t.ID, "until", w.record.Until)
	}
	return out, uint64(rev), err
}

// wishesOf parses the certificates that a host requests. Errors are *model.Error.
func wishesOf(q *model.JoinRequest) (out []*wish, err error) {
	add := func(field string, role trust.Role, c *model.CertificateRequest) {
		w := &wish{field: field, identity: trust.Identity{Role: role, Name: c.Name}, text: c.Request}
		if wrong := w.identity.Check(); wrong != nil && err == nil {
			err = model.Errorf(model.CodeInvalid, field+".name", "%v", wrong).Try("--label names the host")
			return
		}
		var wrong error
		if w.request, wrong = trust.ParseRequest([]byte(c.Request)); wrong != nil && err == nil {
			err = model.Errorf(model.CodeInvalid, field+".request", "%v", wrong).Try("this path is for contiv join: is it of the same version as this netmaster?")
		}
		out = append(out, w)
	}
	if q.Master != nil {
		add("master", trust.Master, &q.Master.CertificateRequest)
	}
	if q.Agent != nil {
		add("agent", trust.Agent, q.Agent)
	}
	if len(out) == 0 {
		return nil, model.Errorf(model.CodeInvalid, "agent", "nothing is to be certified").Try("name an agent, a master or both")
	}
	return out, err
}

// admissible returns the token of a request, if it admits the request, as far as v knows.
func (e *Enroller) admissible(v *catalog.View, t *trust.Token, wishes []*wish, proved trust.Identity, from string) (*record.JoinToken, error) {
	known, err := e.token(v, t, letIn(v, t.ID, wishes, proved, e.now()))
	if err != nil {
		return nil, err
	}
	for _, w := range wishes {
		if known.Replaces != "" && known.Replaces != w.identity.Name {
			return nil, model.Errorf(model.CodeDenied, "token", "the token is for host %s only, and this one asks as %s", known.Replaces, w.identity.Name).
				Try("join with --label %s, or make a token without --replace: contiv token create", known.Replaces)
		}
		if w.identity.Role == trust.Master && !known.Masters {
			return nil, model.Errorf(model.CodeDenied, "token", "the token is only for agents").Try("contiv token create --master makes one for netmasters")
		}
		if err := e.dismissed(v, w, known); err != nil {
			return nil, err
		}
		if err := e.free(v, w, known, proved); err != nil {
			return nil, err
		}
		if err := e.claimed(v, w, from); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// letIn reports whether a token has admitted the same request before, by a certificate that is still valid, or the host with the identity
// proved, which repeats the request with other keys.
func letIn(v *catalog.View, token string, wishes []*wish, proved trust.Identity, at time.Time) bool {
	for _, w := range wishes {
		sum, found := record.Sum([]byte(w.text)), false
		for _, c := range v.CertifiedAs(w.identity.String()) {
			found = found || c.Valid(at) && c.Token == token && (c.Request == sum || w.isOf(proved))
		}
		if !found {
			return false
		}
	}
	return true
}

// isOf reports whether an authenticated identity is the host of the wish.
func (w *wish) isOf(proved trust.Identity) bool {
	return proved.Name == w.identity.Name && (proved.Role == trust.Agent || proved.Role == trust.Master)
}

// free refuses an identity of which another holder has a valid certificate.
func (e *Enroller) free(v *catalog.View, w *wish, by *record.JoinToken, proved trust.Identity) error {
	if by.Replaces == w.identity.Name || w.isOf(proved) {
		return nil
	}
	sum := record.Sum([]byte(w.text))
	for _, c := range v.CertifiedAs(w.identity.String()) {
		if c.Valid(e.now()) && c.Request != sum {
			return model.Errorf(model.CodeConflict, w.field+".name", "a machine holds a certificate as %s %s already, until %s", w.identity.Role, w.identity.Name, c.Until.Format("2006-01-02 15:04 MST")).
				Try("give this host a label of its own with --label; or, when that machine is gone for good: contiv cert revoke %s; or, when this is the same machine: contiv token create --replace %s", w.identity, w.identity.Name)
		}
	}
	return nil
}

// addMember makes the embedded store expect the member of a netmaster.
func (e *Enroller) addMember(ctx context.Context, m *model.MasterRequest) (peers map[string]string, id string, err error) {
	u, err := url.Parse(m.PeerURL)
	if err != nil || u.Scheme != "https" || u.Port() == "" || u.Hostname() == "" || u.User != nil || u.Path != "" || u.RawQuery != "" {
		return nil, "", model.Errorf(model.CodeInvalid, "master.peerURL", "%q is not where a member of the embedded store serves others", m.PeerURL).Try("it is like https://192.0.2.1:2380")
	}
	return e.Members.AddMember(ctx, m.Name, m.PeerURL)
}
