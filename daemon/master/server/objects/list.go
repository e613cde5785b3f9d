// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"context"
	"encoding/json"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/identity"
)

// List returns a page of the objects of a kind, as they are now: nothing is kept for the pages before it.
func (o *Objects) List(ctx context.Context, k *model.Kind, q rest.Query) (p rest.Page, err error) {
	o.Catalog.View(func(v *catalog.View) { p, err = page(v, k, q, visibility(ctx, k)) })
	return p, err
}

func page(v *catalog.View, k *model.Kind, q rest.Query, sees func(key string) bool) (rest.Page, error) {
	if _, err := identity.ParseEndpoint(q.After); err != nil && k.InspectOnly {
		return rest.Page{}, rest.BadToken("not a token of a list")
	}
	p := rest.Page{Revision: uint64(v.Revision())}
	if q.Limit == 0 && q.Selector.All() && sees == nil {
		p.Items = make([]json.RawMessage, 0, count(v, k))
	}
	var last item
	for i := range itemsAfter(v, k, q.After) {
		if sees != nil && !sees(i.id()) || !i.selected(&q.Selector) {
			continue
		}
		if q.Limit > 0 && len(p.Items) == q.Limit {
			p.Next = last.id()
			break
		}
		text, err := i.text()
		if err == nil && q.Summary {
			text, err = i.summary(text)
		}
		if err != nil {
			return rest.Page{}, err
		}
		p.Items, last = append(p.Items, text), i
	}
	return p, nil
}

// count is the number of objects of a kind.
func count(v *catalog.View, k *model.Kind) int {
	if k.InspectOnly {
		return v.CountEndpoints()
	}
	return v.Count(k)
}
