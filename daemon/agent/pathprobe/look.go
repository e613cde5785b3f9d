package pathprobe

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// How many ways are probed at once when someone asks, those under suspicion first, and with how many probes together and each.
const (
	askedWays   = 32
	askedProbes = 800
	askedLeast  = 20
	askedMost   = 100
	askedGap    = 4 * time.Millisecond
	askedWait   = 150 * time.Millisecond
)

// Look says what is wrong by the visits of the last minute. It sends nothing.
func (p *Prober) Look(context.Context) []model.Finding {
	p.refresh()
	p.mu.Lock()
	deaf, list := p.deaf, make([]state, 0, len(p.ways))
	for _, w := range p.ways {
		list = append(list, state{w, *p.conditions[w]})
	}
	p.mu.Unlock()
	v := verdict{self: p.o.Host, port: p.o.Port, overhead: p.o.Overhead, room: p.o.Room, now: time.Now()}
	if deaf && len(list) > 0 {
		return []model.Finding{v.deaf()}
	}
	return v.findings(list)
}

// Ask probes at once, as many ways as can be in the time that ctx leaves, and says what is wrong.
func (p *Prober) Ask(ctx context.Context) []model.Finding {
	p.refresh()
	ways := p.chosen(time.Now())
	each := min(max(askedProbes/max(len(ways), 1), askedLeast), askedMost)
	var wait sync.WaitGroup
	for _, w := range ways {
		wait.Go(func() { p.ask(ctx, w, each) })
	}
	wait.Wait()
	return p.Look(ctx)
}

// ask probes one way, a second time if something was lost, and looks for the reason.
func (p *Prober) ask(ctx context.Context, w Way, probes int) {
	t := train{way: w, n: probes, gap: askedGap, patience: askedWait}
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
	if wide { // what is large is asked again at once
		t.n = askedLeast / 2
		p.visit(ctx, t)
	}
	p.visit(ctx, t)
	p.diagnose(ctx, w)
}

// chosen are the ways that are probed at once: those that may not be well, and then those whose turn it is.
func (p *Prober) chosen(now time.Time) (out []Way) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.ways {
		if len(out) < askedWays && p.conditions[w].suspicious(now) {
			out = append(out, w)
		}
	}
	for range p.ways {
		if p.next %= len(p.ways); len(out) >= askedWays {
			break
		}
		if w := p.ways[p.next]; !slices.Contains(out, w) {
			out = append(out, w)
		}
		p.next++
	}
	return out
}
