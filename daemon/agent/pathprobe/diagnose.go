// SPDX-License-Identifier: Apache-2.0

package pathprobe

import (
	"context"
	"time"

	"github.com/contiv/contiv/ofnet/pipeline"
)

const (
	leastPacket = 1280 // that every path should carry (RFC 8200 section 5)
	wideEnough  = 3    // lost probes of full size in a row
	silentLeast = 8    // lost probes in a row, over silentFor
	silentFor   = 2 * time.Second
	asking      = 20 // probes that the other agent counts
)

// diagnose finds the reason why a path is not healthy: whether the machine at its end is alive, the largest packet that passes, and the
// direction in which packets are lost.
func (p *Prober) diagnose(ctx context.Context, w Path) {
	p.mu.Lock()
	c := p.conditions[w]
	if c == nil {
		p.mu.Unlock()
		return
	}
	now := time.Now()
	silent, wide := c.silent >= silentLeast, c.wide >= wideEnough
	loss, trip, known := c.loss.count(now).lost > 0 && c.silent == 0, c.trip, c.largest > 0
	p.mu.Unlock()
	soon := 4*trip + 30*time.Millisecond
	switch {
	case silent:
		p.checkPeer(ctx, w)
	case wide && !known:
		p.measure(ctx, w, soon)
	case loss:
		p.locate(ctx, w, soon)
	}
}

// checkPeer checks whether the machine at the end of a path is alive, and sends its agent probes over the path, so that it knows whether
// the path carries any.
func (p *Prober) checkPeer(ctx context.Context, w Path) {
	p.announce(w, pipeline.AskAgent)
	if _, err := p.run(ctx, burst{path: w, kind: pipeline.AskAgent, n: 2, size: smallProbe, gap: visitGap}); err != nil {
		return
	}
	life := p.o.Alive(ctx, w.Host)
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.conditions[w]; c != nil {
		if c.liveness = life; life.Other != "" && life.Other != c.spoke {
			c.answers = false // the version that answered is no longer there
		}
	}
}

// measure finds the largest packet that passes there and back, and the direction in which no larger one does: an agent's answer is small.
func (p *Prober) measure(ctx context.Context, w Path, soon time.Duration) {
	passes := func(kind pipeline.ProbeKind, packet int) bool {
		o, err := p.run(ctx, burst{path: w, kind: kind, n: wideEnough, size: frameOf(packet), gap: time.Millisecond, timeout: soon})
		return err == nil && o.back > 0
	}
	most := p.o.Room(w)
	low, high := leastPacket, most // low passes, or is the minimum; high does not
	if high <= low || passes(pipeline.AskSwitch, high) {
		return
	}
	if !passes(pipeline.AskSwitch, low) {
		high = low
		low = smallProbe - ethernet
	}
	for high-low > 1 && ctx.Err() == nil {
		if mid := (low + high) / 2; passes(pipeline.AskSwitch, mid) {
			low = mid
		} else {
			high = mid
		}
	}
	narrow := unknown
	if o, err := p.run(ctx, burst{path: w, kind: pipeline.AskAgent, n: wideEnough, size: smallProbe, gap: time.Millisecond, timeout: soon}); err == nil && o.back > 0 {
		if narrow = going; passes(pipeline.AskAgent, most) {
			narrow = coming
		}
	}
	if ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.conditions[w]; c != nil && c.wide > 0 {
		c.largest, c.narrow = low, narrow
	}
}

// locate queries the number of probes that arrive at the other agent.
func (p *Prober) locate(ctx context.Context, w Path, soon time.Duration) {
	o, err := p.run(ctx, burst{path: w, kind: pipeline.AskAgent, n: asking, size: smallProbe, gap: visitGap / 4, timeout: soon})
	if err != nil || o.asked == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.conditions[w]; c != nil {
		now, both := time.Now(), lossByDirection{}
		if c.perDirection != nil {
			both = *c.perDirection
		}
		both.there.add(now, o.asked, o.asked-o.received)
		both.home.add(now, o.received, o.received-o.back)
		c.perDirection = &both // concurrent readers keep the old one
	}
}
