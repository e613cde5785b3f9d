// SPDX-License-Identifier: Apache-2.0

package why

import (
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/identity"
)

// changed returns the last change of an object that affects whether packets pass between two ends; nil if none is recorded.
func changed(log history.Log, from, to end, intent model.WhyIntent) *model.WhyChange {
	names := []history.Name{{Kind: model.KindGlobal().Name, Key: "global"}}
	add := func(k *model.Kind, key string) {
		if n := (history.Name{Kind: k.Name, Key: key}); key != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	for _, e := range []end{from, to} {
		switch {
		case e.endpoint != nil:
			add(model.KindEndpoint(), e.endpoint.ID.String())
			add(model.KindNetwork(), e.endpoint.ID.Network.String())
			if g := e.endpoint.Group; !g.IsZero() {
				add(model.KindEndpointGroup(), g.String())
			}
		case e.service != nil:
			add(model.KindServiceLB(), e.service.ID.String())
		}
	}
	for _, rule := range []string{intent.Out, intent.In} {
		add(model.KindRule(), rule)
		if policy := identity.Parent(rule); policy != "" {
			add(model.KindPolicy(), policy)
		}
	}
	last, ok := log.Last(names...)
	if !ok {
		return nil
	}
	return &model.WhyChange{Kind: last.Kind, Key: last.Key, Verb: last.Verb, By: last.By, At: last.Time}
}
