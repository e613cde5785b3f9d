// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"iter"
	"strconv"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// packetsField is the field of a rule's packets in wide tables.
const packetsField = "packets"

// hitColumns are the columns of a kind that wide tables have and that only the agents of the hosts know.
func hitColumns(k *model.Kind, format term.Format) []model.Column {
	if k != model.KindRule() || !format.Wide() {
		return nil
	}
	return []model.Column{{Header: "Packets", Field: packetsField, Rank: model.RankHigh}}
}

// ruleWithHits is a rule with the packets that it has decided about, on all hosts.
type ruleWithHits struct {
	model.Object
	packets string
}

// Field returns the packets, or a field of the rule.
func (c ruleWithHits) Field(name string) any {
	if name == packetsField {
		return c.packets
	}
	return c.Object.Field(name)
}

// ruleHits has the packets of rules, by tenant: "" has those of all, unless the user may not see these.
type ruleHits struct {
	client  *client.Client
	tenants map[string]*tenantHits
}

// tenantHits are the packets of each rule. With silent hosts, each is a minimum.
type tenantHits struct {
	packets map[string]uint64
	silent  bool
}

func newRuleHits(c *client.Client) *ruleHits {
	return &ruleHits{c, map[string]*tenantHits{}}
}

// of returns the packets of a rule as text: "?" is unknown, "12+" at least 12, "-" that no host has the rule.
func (h *ruleHits) of(ctx context.Context, r model.Object) string {
	tenant, _ := r.Field("tenantName").(string)
	hits := h.sum(ctx, "")
	if hits == nil {
		hits = h.sum(ctx, tenant)
	}
	if hits == nil {
		return "?"
	}
	n, known := hits.packets[r.ObjectKey()]
	switch {
	case known && hits.silent:
		return strconv.FormatUint(n, 10) + "+"
	case known:
		return strconv.FormatUint(n, 10)
	case hits.silent:
		return "?"
	}
	return "-"
}

// sum requests the counters of a tenant once; nil if they are refused or netmaster does not answer.
func (h *ruleHits) sum(ctx context.Context, tenant string) *tenantHits {
	if out, asked := h.tenants[tenant]; asked {
		return out
	}
	h.tenants[tenant] = nil
	counters, err := h.client.Counters(ctx, tenant)
	if err != nil {
		return nil
	}
	out := &tenantHits{packets: map[string]uint64{}}
	for i := range counters.Hosts {
		host := &counters.Hosts[i]
		out.silent = out.silent || host.Unknown != ""
		for _, r := range host.Rules {
			out.packets[r.Rule] += r.Hits.Packets
		}
	}
	h.tenants[tenant] = out
	return out
}

// withHits adds the packets to the rules of a wide table.
func withHits(ctx context.Context, c *client.Client, k *model.Kind, format term.Format, pages iter.Seq2[[]model.Object, error]) iter.Seq2[[]model.Object, error] {
	if len(hitColumns(k, format)) == 0 {
		return pages
	}
	hits := newRuleHits(c)
	return func(yield func([]model.Object, error) bool) {
		for page, err := range pages {
			for i, r := range page {
				page[i] = ruleWithHits{r, hits.of(ctx, r)}
			}
			if !yield(page, err) {
				return
			}
		}
	}
}
