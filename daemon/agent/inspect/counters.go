// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"net/http"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// counters returns the switch's counters of this host's endpoints and rules. The query may select a tenant.
func (o *Options) counters(w http.ResponseWriter, r *http.Request) {
	out, err := o.counted(r.Context(), r.URL.Query().Get("of"))
	if err != nil {
		text(w, http.StatusServiceUnavailable, "read the counters of the switch: "+err.Error()+"\n")
		return
	}
	answer(w, out)
}

// counted reads the counters of a tenant's endpoints and rules; "": of all.
func (o *Options) counted(ctx context.Context, tenant string) (*model.HostCounters, error) {
	out := &model.HostCounters{ReadAt: o.Now()}
	sent, err := o.Forward.Hits(ctx, o.Pipeline.Number(string(pipeline.Sent)))
	if err != nil {
		return nil, err
	}
	received, err := o.Forward.Hits(ctx, o.Pipeline.Number(string(pipeline.Received)))
	if err != nil {
		return nil, err
	}
	o.Forward.View(func(s *ofnet.State) {
		for e := range s.On(s.Self) {
			key := flow.Owner(ofnet.Key{Kind: ofnet.KindEndpoint, Name: e.ID})
			in, counts := received[key]
			if counts && of(tenant, e.ID) {
				out.Endpoints = append(out.Endpoints, model.EndpointCounter{Endpoint: e.ID, Container: o.container(e.ID), Group: e.Group, Sent: countOf(sent[key]), Received: countOf(in)})
			}
		}
	})
	rules, err := o.ruleStatus(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		if !of(tenant, r.Rule) {
			continue
		}
		out.Rules = append(out.Rules, model.RuleCounter{Rule: r.Rule, Group: r.Group, Hits: model.FlowCount{Packets: r.Packets, Bytes: r.Bytes}})
	}
	return out, nil
}

// of reports whether an object, "tenant:...", belongs to a tenant; with "" all do.
func of(tenant, object string) bool { return tenant == "" || identity.Within(object, tenant) }
