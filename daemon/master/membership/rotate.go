// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// RotationOf returns the last replacement of the cluster's authority, nil if there was none or it cannot be read.
func RotationOf(v *catalog.View) *record.Rotation {
	var r record.Rotation
	if raw := v.Value(record.RotationKey); len(raw) == 0 || json.Unmarshal(raw, &r) != nil {
		return nil
	}
	return &r
}

// Authorities returns the authorities that this netmaster trusts. Errors are *model.Error.
func (e *Enroller) Authorities() (out model.Authorities, err error) {
	a, err := e.authority()
	if err != nil {
		return out, err
	}
	text, err := e.Trust.Trusted()
	return model.Authorities{Certificates: string(text), Signs: a.Fingerprint()}, err
}

// Rotation returns the progress of the authority's replacement according to the reports of daemons.
func (e *Enroller) Rotation(nodes []model.Node) (out model.Rotation) {
	e.Catalog.View(func(v *catalog.View) { out = e.rotation(v, nodes) })
	return out
}

func (e *Enroller) rotation(v *catalog.View, nodes []model.Node) (out model.Rotation) {
	r := RotationOf(v)
	if r == nil {
		return out
	}
	out = model.Rotation{Phase: string(r.Phase), From: r.From, To: r.To, Since: r.Since}
	switch r.Phase {
	case record.PhaseTrust:
		out.Waiting = Untrusting(nodes, r.To, false)
	case record.PhaseSign:
		out.Waiting = append(e.provenBefore(v, r), unsigned(nodes, r.To)...)
	}
	return out
}

// Untrusting names the daemons that do not report that they trust an authority. If answering is set, it leaves out those that do not answer.
func Untrusting(nodes []model.Node, authority string, answering bool) (out []string) {
	for i := range nodes {
		n := &nodes[i]
		switch {
		case slices.Contains(n.Authorities, authority):
		case len(n.Authorities) > 0 && n.Role != model.RoleAgent:
			out = append(out, "netmaster "+n.Name+" was started before: restart it")
		case len(n.Authorities) > 0:
			out = append(out, "agent "+n.Name+" does not trust it yet")
		case !answering:
			out = append(out, fmt.Sprintf("%s %s does not say: %s", called(n), n.Name, n.Reason))
		}
	}
	return out
}

// unsigned names the daemons that present a certificate of another authority.
func unsigned(nodes []model.Node, authority string) (out []string) {
	for i := range nodes {
		if n := &nodes[i]; n.Authority != "" && n.Authority != authority {
			out = append(out, called(n)+" "+n.Name+" shows a certificate of the previous authority")
		}
	}
	return out
}

func called(n *model.Node) string {
	if n.Role == model.RoleAgent {
		return "agent"
	}
	return "netmaster"
}

// provenBefore names the identities whose newest certificate is of the previous authority and is valid, or can be renewed after its expiry,
// and the secrets that the previous authority has sealed.
func (e *Enroller) provenBefore(v *catalog.View, r *record.Rotation) (out []string) {
	last := map[string]*record.Certified{}
	for _, c := range v.Certificates() { // the oldest first
		if was := last[c.Identity]; c.Revoked.IsZero() && (was == nil || c.Issued.After(was.Issued) || c.Issued.Equal(was.Issued) && c.Authority == r.To) {
			last[c.Identity] = c
		}
	}
	for identity, c := range last {
		host, agent := strings.CutPrefix(identity, trust.Identity{Role: trust.Agent}.String())
		until := c.Until
		if agent && v.Host(host) != nil {
			until = until.Add(trust.Grace)
		}
		if c.Authority != r.To && e.now().Before(until) {
			out = append(out, fmt.Sprintf("%s until %s", identity, until.Format("2006-01-02 15:04 MST")))
		}
	}
	for key, name := range map[string]string{record.LDAPKey: "the LDAP bind password", record.OIDCKey: "the OpenID client's secret"} {
		var s record.Secret
		if raw := v.Value(key); len(raw) > 0 && json.Unmarshal(raw, &s) == nil && s.By == r.From {
			out = append(out, name+" is sealed by its key")
		}
	}
	slices.Sort(out)
	return out
}

// Rotate advances the replacement of the authority to a phase if the reports of daemons permit it; repeating a phase succeeds. Netmasters
// carry the phase out as they follow the store. Rotate blocks until the phase is stored. Errors are *model.Error.
func (e *Enroller) Rotate(ctx context.Context, q model.RotateRequest, proved trust.Identity, nodes []model.Node) (out model.Rotation, rev uint64, err error) {
	a, err := e.authority()
	if err != nil {
		return out, 0, err
	}
	fresh, err := e.next(a, requester(ctx, proved))
	if err != nil {
		return out, 0, err
	}
	at, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		r, err := e.step(tx.View, q, nodes, fresh)
		if err == nil && r != nil {
			r.By, r.Since = requester(ctx, proved), e.now()
			err = tx.Put(record.RotationKey, r)
		}
		return err
	})
	if err != nil {
		return out, 0, err
	}
	out = e.Rotation(nodes)
	e.Log.Info("the cluster's authority is being replaced", "phase", out.Phase, "from", out.From, "to", out.To)
	return out, uint64(at), nil
}

// step returns the replacement after the requested phase, nil if it is in this phase already. Errors are *model.Error.
func (e *Enroller) step(v *catalog.View, q model.RotateRequest, nodes []model.Node, fresh *record.Rotation) (*record.Rotation, error) {
	was := RotationOf(v)
	phase := record.Phase(q.Phase)
	order := []record.Phase{record.PhaseTrust, record.PhaseSign, record.PhaseFinish}
	at, wanted := -1, slices.Index(order, phase)
	if was != nil {
		at = slices.Index(order, was.Phase)
	}
	switch {
	case wanted < 0:
		return nil, model.Errorf(model.CodeInvalid, "phase", "got %.20q, want trust, sign or finish", q.Phase).Try("contiv cert rotate-authority shows which one is next")
	case phase == record.PhaseTrust && !was.Underway():
		return fresh, nil
	case was == nil, was.Phase == record.PhaseFinish && phase == record.PhaseSign:
		return nil, model.Errorf(model.CodeInvalid, "phase", "no replacement of the authority has begun").Try("contiv cert rotate-authority trust begins one")
	case wanted <= at:
		return nil, nil
	case wanted > at+1:
		return nil, model.Errorf(model.CodeInvalid, "phase", "the next authority does not sign yet").Try("contiv cert rotate-authority sign has it do so")
	}
	var waiting []string
	if phase == record.PhaseSign {
		waiting = Untrusting(nodes, was.To, q.Force)
	} else {
		waiting = append(e.provenBefore(v, was), unsigned(nodes, was.To)...)
	}
	if len(waiting) > 0 && phase == record.PhaseSign {
		return nil, model.Errorf(model.CodeNotReady, "phase", "%d daemons do not trust the next authority: %s", len(waiting), strings.Join(waiting, "; ")).
			Try("restart netmasters one after the other, and wait half a minute for agents; start what does not answer, or, when it is gone for good, have it leave: contiv leave NAME")
	}
	if len(waiting) > 0 {
		return nil, model.Errorf(model.CodeInUse, "phase", "%d still prove themselves by the previous authority: %s", len(waiting), strings.Join(waiting, "; ")).
			Try("daemons renew by themselves within a minute, and users by contiv cert renew user; have hosts leave that do not come back (contiv leave NAME), and revoke what nobody needs (contiv cert revoke IDENTITY)")
	}
	r := *was
	if r.Phase = phase; phase == record.PhaseFinish {
		r.Key = nil
	}
	return &r, nil
}

// next creates another authority and the record of the replacement, with the new key sealed by the present authority. Errors are
// *model.Error.
func (e *Enroller) next(a *trust.Authority, by string) (*record.Rotation, error) {
	failed := func(err error) (*record.Rotation, error) {
		return nil, model.Errorf(model.CodeInternal, "", "another authority cannot be made: %v", err).Because(err)
	}
	made, err := trust.NewAuthority(e.Now())
	if err != nil {
		return failed(err)
	}
	certificate, key, err := made.PEM()
	if err != nil {
		return failed(err)
	}
	seal, err := a.Seal()
	if err != nil {
		return failed(err)
	}
	return &record.Rotation{Phase: record.PhaseTrust, From: a.Fingerprint(), To: made.Fingerprint(), Certificate: string(certificate), Key: seal.Close(record.RotationKey, key), By: by}, nil
}
