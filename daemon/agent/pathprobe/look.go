// SPDX-License-Identifier: Apache-2.0

package pathprobe

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Bounds of a check on request: the number of paths, suspect ones first, and the number of probes, together and each.
const (
	askedPaths  = 32
	askedProbes = 800
	askedLeast  = 20
	maxAsked    = 100
	askedGap    = 4 * time.Millisecond
	askedWait   = 150 * time.Millisecond
	askedTime   = 1600 * time.Millisecond // then the results so far count: a slow machine needs the rest of check.Limit to return them
)

// Look returns findings from the visits of the last minute. It sends nothing.
func (p *Prober) Look(context.Context) []model.Finding {
	p.refresh()
	p.mu.Lock()
	deaf, list := p.selfTestFailed, make([]state, 0, len(p.paths))
	for _, w := range p.paths {
		list = append(list, state{w, *p.conditions[w]})
	}
	p.mu.Unlock()
	v := verdict{self: p.o.Host, port: p.o.Port, overhead: p.o.Overhead, room: p.o.Room, now: time.Now()}
	if deaf && len(list) > 0 {
		return []model.Finding{v.selfTestFailed()}
	}
	return v.findings(list)
}

// Ask probes as many paths as possible within askedTime and the time of ctx, and returns findings.
func (p *Prober) Ask(ctx context.Context) []model.Finding {
	ctx, cancel := context.WithTimeout(ctx, askedTime)
	defer cancel()
	p.refresh()
	ways := p.selectPaths(time.Now())
	each := min(max(askedProbes/max(len(ways), 1), askedLeast), maxAsked)
	var wait sync.WaitGroup
	for _, w := range ways {
		wait.Go(func() { p.ask(ctx, w, each) })
	}
	wait.Wait()
	return p.Look(ctx)
}

// ask probes one path, a second time if something was lost, and diagnoses it.
func (p *Prober) ask(ctx context.Context, w Path, probes int) {
	t := burst{path: w, n: probes, gap: askedGap, timeout: askedWait}
	p.visit(ctx, t)
	p.mu.Lock()
	c := p.conditions[w]
	if c == nil || !c.suspicious(time.Now()) {
		p.mu.Unlock()
		return
	}
	wide := c.wide > 0
	p.mu.Unlock()
	t.n = max(probes*3/5, askedLeast)
	if wide { // large packets are probed again at once
		t.n = askedLeast / 2
		p.visit(ctx, t)
	}
	p.visit(ctx, t)
	p.diagnose(ctx, w)
}

// selectPaths returns the suspect paths, then the next in rotation.
func (p *Prober) selectPaths(now time.Time) (out []Path) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.paths {
		if len(out) < askedPaths && p.conditions[w].suspicious(now) {
			out = append(out, w)
		}
	}
	for range p.paths {
		if p.next %= len(p.paths); len(out) >= askedPaths {
			break
		}
		if w := p.paths[p.next]; !slices.Contains(out, w) {
			out = append(out, w)
		}
		p.next++
	}
	return out
}
