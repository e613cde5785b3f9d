package server

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// rulesOf asks all agents about a policy, "tenant:policy", or a rule of one.
func (b *backend) rulesOf(ctx context.Context, of string) []said[model.RuleStatus] {
	return askAll[model.RuleStatus](ctx, b, "/inspect/rules", of)
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
func (b *backend) ruleHits(ctx context.Context, key string, o *model.RuleOper) {
	for _, h := range b.rulesOf(ctx, key) {
		if h.err != nil {
			o.Hosts = append(o.Hosts, h.silence())
			continue
		}
		for i := range h.list {
			o.Packets += int(h.list[i].Packets)
			o.Bytes += int(h.list[i].Bytes)
			o.Hosts = append(o.Hosts, ruleLine(h.host, &h.list[i]))
		}
	}
}

// policyHits fills in how the rules of a policy fare on the hosts.
func (b *backend) policyHits(ctx context.Context, key string, o *model.PolicyOper) {
	for _, h := range b.rulesOf(ctx, key) {
		if h.err != nil {
			o.Hits = append(o.Hits, h.silence())
			continue
		}
		for i := range h.list {
			o.Hits = append(o.Hits, strings.TrimPrefix(h.list[i].Rule, key+":")+" "+ruleLine(h.host, &h.list[i]))
		}
	}
	slices.Sort(o.Hits)
}
