// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
)

const (
	maxSpoofed   = 10 // packets within spoofedLasts without a finding
	spoofedLasts = time.Minute
)

// SpoofOptions are the dependencies of Spoofs.
type SpoofOptions struct {
	// Hits reads the counters of packets that each local endpoint has sent with an address of others, by flow.Owner of the endpoint.
	Hits func(ctx context.Context) (map[uint64]bridge.Hits, error)
	View func(func(s *ofnet.State)) // calls a function with the desired state of the switch
}

// Spoofs finds containers that send with addresses of others, by the counters of the switch. It is safe for concurrent use.
type Spoofs struct {
	o SpoofOptions

	mu     sync.Mutex
	counts map[string][]reading // by endpoint, the oldest first
}

// reading is a counter at a time.
type reading struct {
	at      time.Time
	packets uint64
}

// NewSpoofs returns a Spoofs.
func NewSpoofs(o SpoofOptions) *Spoofs { return &Spoofs{o: o, counts: map[string][]reading{}} }

// Look reads the counters and compares them with those of the last minute. The first reading of a counter proves nothing, since the age of
// its packets is unknown.
func (p *Spoofs) Look(ctx context.Context) (out []model.Finding) {
	hits, err := p.o.Hits(ctx)
	if err != nil {
		return []model.Finding{{Code: model.FindingSpoofedUnknown, Severity: model.SeverityUnknown, Object: "switch/contiv0", Evidence: "the counters of spoofed packets cannot be read: " + err.Error(),
			Remedy: "see what is found about the switch of this host"}}
	}
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.o.View(func(s *ofnet.State) {
		had := p.counts
		p.counts = make(map[string][]reading, len(had))
		for e := range s.On(s.Self) {
			h, ok := hits[flow.Owner(e.Key())]
			if !ok {
				continue
			}
			list := add(had[e.ID], reading{now, h.Packets})
			p.counts[e.ID] = list
			if n := h.Packets - list[0].packets; n > maxSpoofed {
				out = append(out, spoofedBy(e, n, now.Sub(list[0].at)))
			}
		}
	})
	slices.SortFunc(out, func(a, b model.Finding) int { return cmp.Compare(a.Object, b.Object) })
	return out
}

// maxReadings is the maximum number of readings of a counter: those without a change are omitted.
const maxReadings = 16

// add appends a reading, and deletes expired ones except the last. A counter that has decreased starts again.
func add(list []reading, r reading) []reading {
	if n := len(list); n > 0 && list[n-1].packets > r.packets {
		list = nil
	}
	if n := len(list); n > 1 && list[n-1].packets == r.packets && list[n-2].packets == r.packets {
		list = list[:n-1]
	}
	for len(list) > 1 && (r.at.Sub(list[1].at) >= spoofedLasts || len(list) >= maxReadings) {
		list = list[1:]
	}
	return append(slices.Clip(list), r)
}

func spoofedBy(e *ofnet.Endpoint, n uint64, over time.Duration) model.Finding {
	own := []string{mac(e.MAC)}
	if e.IP4.IsValid() {
		own = append(own, e.IP4.String())
	}
	if e.IP6.IsValid() {
		own = append(own, e.IP6.String())
	}
	return model.Finding{Code: model.FindingSpoofedSource, Severity: model.SeverityWarning, Object: e.Key().String(),
		Evidence: fmt.Sprintf("%d packets within %s had other addresses than the container's (%s), and were dropped at its port", n, over.Round(time.Second), strings.Join(own, ", ")),
		Remedy:   "capture packets of the container to see which addresses it uses: its interface may have another address, or it forwards for others; a container may use only its own addresses",
		Next:     "netctl capture " + e.ID}
}
