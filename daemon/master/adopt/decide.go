// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/record"
)

// shown converts a conflict to the type of the API.
func shown(a *record.Adoption) model.Adoption {
	out := model.Adoption{Name: a.Endpoint.ID.String(), Host: a.Endpoint.Host, Address: record.Text(a.Endpoint.IP), Holder: a.Holder, Reason: a.Reason, Since: a.Since}
	if out.Address == "" {
		out.Address = record.Text(a.Endpoint.IP6)
	}
	return out
}

// Undecided returns the open conflicts, ordered by the endpoints' ids.
func Undecided(v *catalog.View) []model.Adoption {
	out := []model.Adoption{}
	for _, a := range v.Adoptions() {
		if !a.Dropped {
			out = append(out, shown(a))
		}
	}
	return out
}

// List returns the open conflicts, ordered by the endpoints' ids.
func (e *Engine) List() (out []model.Adoption) {
	e.Catalog.View(func(v *catalog.View) { out = Undecided(v) })
	return out
}

// Displacer deletes endpoints. It is *endpoint.Service.
type Displacer interface {
	Displace(tx *commit.Tx, e *record.Endpoint) error
}

// Decide ends a conflict. If accepted, the running endpoint becomes part of the store, and the one that it contradicts is deleted;
// otherwise its host removes it after its next offer. It blocks until the store has that. Errors are *model.Error.
func (e *Engine) Decide(ctx context.Context, d model.AdoptionDecision, by Displacer) (out model.Adoption, rev uint64, err error) {
	at, err := e.Commit.Do(ctx, func(tx *commit.Tx) error {
		var a *record.Adoption
		for _, one := range tx.Adoptions() {
			if one.Endpoint.ID.String() == d.Name && !one.Dropped {
				a = one
			}
		}
		if a == nil {
			return model.Errorf(model.CodeNotFound, "name", "no endpoint %s waits for a decision", d.Name).Try("netctl adopt ls lists those that do")
		}
		out = shown(a)
		if !d.Accept {
			dropped := *a
			dropped.Dropped = true
			return tx.Put(record.Adoptions+a.Key, &dropped)
		}
		for _, m := range tx.Endpoints() {
			if m.ID.String() == a.Holder {
				if err := by.Displace(tx, m); err != nil {
					return err
				}
				break
			}
		}
		if _, _, err := endpoint.Adopt(tx, a.Endpoint); err != nil {
			return err
		}
		tx.Delete(record.Adoptions + a.Key)
		return nil
	})
	return out, uint64(at), err
}
