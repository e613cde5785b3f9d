// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

const (
	maxDifferences = 100 // that are kept
	maxFlow        = 300 // bytes of a flow in a finding

	affinityTable = "affinity" // its flows are learned
)

// difference is a connection about which policies and switch differ.
type difference struct {
	version uint64    // of the State of the last comparison
	at      time.Time // of that
	times   int       // in a row
	equal   int       // of these, for the same State
	allowed bool      // by the policies
	by      ofnet.Key // the deciding rule or policy
	flow    string    // of the switch that decided
	owner   ofnet.Key // of the flow; zero: nothing has caused it
	local   string    // the endpoint that is on this host
}

// confirmed reports whether the difference has persisted.
func (d *difference) confirmed() bool { return d.equal >= 2 || d.times >= 3 }

// due returns the difference that has waited longest for its next comparison.
func (c *Comparer) due(now time.Time) (q question, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := now.Add(-again)
	for k, d := range c.found {
		if !d.at.After(at) {
			q, at, ok = k, d.at, true
		}
	}
	return q, ok
}

// agree ends a difference.
func (c *Comparer) agree(q question) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.found[q]; d != nil && d.confirmed() {
		c.Log.Info("policies and switch agree again", "object", q.target().String())
	}
	delete(c.found, q)
}

// differ records a difference.
func (c *Comparer) differ(q question, version uint64, now time.Time, want expected, way *vswitchd.Trace) {
	text, owner := c.decider(way)
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.found[q]
	if d == nil {
		if len(c.found) >= maxDifferences {
			return
		}
		d = &difference{}
		c.found[q] = d
	}
	was := d.confirmed()
	if d.version != version {
		d.version, d.equal = version, 0
	}
	d.at, d.allowed, d.by, d.flow, d.owner = now, want.verdict.Allowed, want.verdict.By, text, owner
	d.local = want.local
	d.times++
	d.equal++
	if d.confirmed() && !was {
		c.Log.Warn("policies and switch differ", "object", q.target().String(), "reason", d.text(q))
	}
}

// decider returns the flow that decided about a packet, and its owner: the first one that the agent has not installed as it is, otherwise the
// last.
func (c *Comparer) decider(way *vswitchd.Trace) (text string, owner ofnet.Key) {
	last := &way.Steps[len(way.Steps)-1]
	for i := range way.Steps {
		if s := &way.Steps[i]; !s.Missing && c.foreign(s) {
			last = s
			break
		}
	}
	if last.Missing {
		return "no flow of table " + c.Pipeline.Tables().Name(last.Table), owner
	}
	text = last.Text()
	if len(text) > maxFlow {
		text = text[:maxFlow] + "..."
	}
	if c.foreign(last) {
		return text, owner
	}
	return text, c.Forward.Owners([]uint64{last.Cookie.Owner()})[0]
}

// foreign reports whether the agent has not installed a flow, or it was changed since. Flows with the cookie of a lease send packets to the
// agent, or remember backends of clients.
func (c *Comparer) foreign(s *vswitchd.Step) bool {
	if s.Cookie.Feature() == flow.Leased {
		if _, ours := pipeline.LeaseOf(s.Cookie); !ours {
			return c.Pipeline.Tables().Name(s.Table) != affinityTable
		}
		return !slices.ContainsFunc(s.Actions, func(a string) bool { return strings.HasPrefix(strings.ToUpper(a), "CONTROLLER") })
	}
	m, err := flow.ParseMatch(s.Match)
	if err != nil {
		return true
	}
	want, ok := c.Forward.Wanted(flow.Key{Table: s.Table, Priority: s.Priority, Match: m})
	if !ok || want.Cookie != s.Cookie {
		return true
	}
	f, err := s.Flow(c.Pipeline.Tables())
	return err == nil && f.Actions != want.Actions
}

// text describes the difference.
func (d *difference) text(q question) string {
	by, owner := "no policy is about it", "which no object of Contiv has caused"
	if d.by != (ofnet.Key{}) {
		by = "by " + d.by.String()
	}
	if d.owner != (ofnet.Key{}) {
		owner = "of " + d.owner.String()
	}
	says, does := "denied", "passes it on"
	if d.allowed {
		says, does = "allowed", "drops it"
	}
	return fmt.Sprintf("%s from endpoint/%s to %s is %s (%s), and the switch %s, by %s (%s)", q.traffic(), q.from, q.target(), says, by, does, d.flow, owner)
}

// Differences returns the number of connections about which policies and switch differ.
func (c *Comparer) Differences() (n float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.found {
		if d.confirmed() {
			n++
		}
	}
	return n
}

// Check reports differences.
func (c *Comparer) Check() check.Check {
	return check.Check{Name: "policies in the switch", Interval: time.Second, Look: c.look}
}

// cause is what findings have in common: the flow that decided, and the verdict.
type cause struct {
	flow    string
	allowed bool
}

func (c *Comparer) look(context.Context) (out []model.Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, number := map[cause]question{}, map[cause]int{}
	for q, d := range c.found {
		if !d.confirmed() {
			continue
		}
		k := cause{d.flow, d.allowed}
		if number[k]++; number[k] == 1 || q.compare(first[k]) < 0 {
			first[k] = q
		}
	}
	for k, q := range first {
		d := c.found[q]
		evidence := d.text(q)
		if more := number[k] - 1; more > 0 {
			evidence += fmt.Sprintf("; the same flow decides about %d more sampled connections", more)
		}
		out = append(out, model.Finding{Code: model.FindingSwitchDisagrees, Severity: model.SeverityError, Object: "endpoint/" + d.local, Evidence: evidence,
			Remedy: "run netctl drift " + c.Host + " --repair; delete a flow that Contiv has not caused with ovs-ofctl --strict del-flows " + c.Bridge + "; if the difference stays, save a support bundle",
			Next:   fmt.Sprintf("netctl why endpoint/%s %s %s", q.from, q.target(), q.traffic())})
	}
	slices.SortFunc(out, func(a, b model.Finding) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Evidence, b.Evidence))
	})
	return slices.CompactFunc(out, func(a, b model.Finding) bool { return a.Object == b.Object }) // one finding of a code and an object
}

func (q question) compare(o question) int {
	return cmp.Or(cmp.Compare(q.from, o.from), cmp.Compare(q.to, o.to), cmp.Compare(q.service, o.service), cmp.Compare(q.protocol, o.protocol), cmp.Compare(q.port, o.port))
}
