package pathprobe

import (
	"context"
	"time"

	"github.com/contiv/contiv/ofnet/pipeline"
)

const (
	leastPacket = 1280 // that every way should carry (RFC 8200 section 5)
	wideEnough  = 3    // probes of full size that have to be lost in a row
	silentLeast = 8    // probes in a row that have to be lost, over silentFor
	silentFor   = 2 * time.Second
	asking      = 20 // probes that the other agent counts
)

// diagnose finds out more about a way that is not well: whether the machine at its end is there, the largest packet that passes, and in which
// direction something is lost.
func (p *Prober) diagnose(ctx context.Context, w Way) {
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
		p.seek(ctx, w)
	case wide && !known:
		p.measure(ctx, w, soon)
	case loss:
		p.locate(ctx, w, soon)
	}
}

// seek finds out whether the machine at the end of a way is there, and lets its agent hear that this way carries something, if it does.
func (p *Prober) seek(ctx context.Context, w Way) {
	if _, err := p.run(ctx, train{way: w, kind: pipeline.AskAgent, n: 2, size: smallProbe, gap: visitGap}); err != nil {
		return
	}
	life := p.o.Alive(ctx, w.Host)
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.conditions[w]; c != nil {
		if c.life = life; life.Other != "" && life.Other != c.spoke {
			c.answers = false // the version that answered is not there any more
		}
	}
}

// measure looks for the largest packet that passes there and back, and in which direction no larger one does: an agent's answer is small.
func (p *Prober) measure(ctx context.Context, w Way, soon time.Duration) {
	passes := func(kind pipeline.ProbeKind, packet int) bool {
		o, err := p.run(ctx, train{way: w, kind: kind, n: wideEnough, size: frameOf(packet), gap: time.Millisecond, patience: soon})
		return err == nil && o.back > 0
	}
	most := p.o.Room(w)
	low, high := leastPacket, most // low passes, or is the least that is asked; high does not
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
	if o, err := p.run(ctx, train{way: w, kind: pipeline.AskAgent, n: wideEnough, size: smallProbe, gap: time.Millisecond, patience: soon}); err == nil && o.back > 0 {
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

// locate asks the other agent how many probes come to it.
func (p *Prober) locate(ctx context.Context, w Way, soon time.Duration) {
	o, err := p.run(ctx, train{way: w, kind: pipeline.AskAgent, n: asking, size: smallProbe, gap: visitGap / 4, patience: soon})
	if err != nil || o.asked == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.conditions[w]; c != nil {
		now, both := time.Now(), located{}
		if c.heardOf != nil {
			both = *c.heardOf
		}
		both.there.add(now, o.asked, o.asked-o.heard)
		both.home.add(now, o.heard, o.heard-o.back)
		c.heardOf = &both // who looks at it meanwhile has the other one
	}
}
