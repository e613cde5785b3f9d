// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/identity"
)

// rulesOf asks all agents about a policy, "tenant:policy", or a rule of one.
func (i *Inspector) rulesOf(ctx context.Context, of string) []peer.Reply[[]model.RuleStatus] {
	return peer.All[[]model.RuleStatus](ctx, i.Peers, "/inspect/rules", of)
}

// ruleLine is one rule on one host.
func ruleLine(host string, r *model.RuleStatus) string {
	text := fmt.Sprintf("%s %s %s: %d packets, %d bytes", host, r.Group, r.Phase, r.Packets, r.Bytes)
	if r.Error != "" {
		text += ": " + r.Error
	}
	return text
}

// ruleHits fills in how a rule fares on the hosts.
func (i *Inspector) ruleHits(ctx context.Context, key string, o *model.RuleOper) {
	for _, h := range i.rulesOf(ctx, key) {
		if h.Err != nil {
			o.Hosts = append(o.Hosts, h.Silence())
			continue
		}
		for n := range h.Answer {
			o.Packets += int(h.Answer[n].Packets)
			o.Bytes += int(h.Answer[n].Bytes)
			o.Hosts = append(o.Hosts, ruleLine(h.Host, &h.Answer[n]))
		}
	}
}

// policyHits fills in how the rules of a policy fare on the hosts.
func (i *Inspector) policyHits(ctx context.Context, key string, o *model.PolicyOper) {
	for _, h := range i.rulesOf(ctx, key) {
		if h.Err != nil {
			o.Hits = append(o.Hits, h.Silence())
			continue
		}
		for n := range h.Answer {
			o.Hits = append(o.Hits, strings.TrimPrefix(h.Answer[n].Rule, identity.Join(key, ""))+" "+ruleLine(h.Host, &h.Answer[n]))
		}
	}
	slices.Sort(o.Hits)
}
