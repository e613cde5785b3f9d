package server

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// asksAtOnce bounds how many agents are asked at a time.
const asksAtOnce = 32

// hostRules is what the agent of a host says of rules, or why it does not.
type hostRules struct {
	host  string
	rules []model.RuleStatus
	err   error
}

// rulesOf asks all agents about a policy, "tenant:policy", or a rule of one. Each has askLimit to answer.
func (b *backend) rulesOf(ctx context.Context, of string) []hostRules {
	var agents []record.Service
	b.catalog.View(func(v *catalog.View) { agents = v.Services(record.ServiceAgent) })
	out := make([]hostRules, len(agents))
	turn := make(chan struct{}, asksAtOnce)
	var wait sync.WaitGroup
	for i, a := range agents {
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			out[i].host = a.Hostname
			out[i].err = b.ask(ctx, "http://"+address(a)+"/inspect/rules?of="+url.QueryEscape(of), &out[i].rules)
		})
	}
	wait.Wait()
	slices.SortFunc(out, func(a, b hostRules) int { return strings.Compare(a.host, b.host) })
	return out
}

// line is one rule on one host.
func (h *hostRules) line(r *model.RuleStatus) string {
	text := fmt.Sprintf("%s %s %s: %d packets, %d bytes", h.host, r.Group, r.Phase, r.Packets, r.Bytes)
	if r.Error != "" {
		text += ": " + r.Error
	}
	return text
}

// silence is the line of a host that did not answer.
func (h *hostRules) silence() string { return h.host + " " + h.err.Error() }

// ruleHits fills in how a rule fares on the hosts.
func (b *backend) ruleHits(ctx context.Context, key string, o *model.RuleOper) {
	for _, h := range b.rulesOf(ctx, key) {
		if h.err != nil {
			o.Hosts = append(o.Hosts, h.silence())
			continue
		}
		for i := range h.rules {
			o.Packets += int(h.rules[i].Packets)
			o.Bytes += int(h.rules[i].Bytes)
			o.Hosts = append(o.Hosts, h.line(&h.rules[i]))
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
		for i := range h.rules {
			o.Hits = append(o.Hits, strings.TrimPrefix(h.rules[i].Rule, key+":")+" "+h.line(&h.rules[i]))
		}
	}
	slices.Sort(o.Hits)
}
