// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

const (
	// conflictLifetime is how long a conflict is reported after its last sighting: neighbours query one another again within that time.
	conflictLifetime = 2 * time.Minute
	maxConflicts     = 256
)

// DetectorOptions are the dependencies of a Detector.
type DetectorOptions struct {
	Host   string                     // label
	Socket string                     // the bridge's management socket
	View   func(func(s *ofnet.State)) // calls a function with the desired state of the switch
	Uplink func(port uint32) string   // name of the NIC of a port
	Log    *slog.Logger
}

// Detector receives announcements, by machines behind the uplinks, of the addresses of local containers. It is safe for concurrent use.
type Detector struct {
	o       DetectorOptions
	packets *packetin.Receiver

	mu   sync.Mutex
	list map[conflict]*sighting
}

// conflict is the use of a local container's address by a machine outside.
type conflict struct {
	endpoint string
	addr     netip.Addr // the claimed address; invalid: none yet
	own, by  ofnet.MAC  // link addresses of the container and of the machine
}

// sighting is how often and where a conflict was seen.
type sighting struct {
	times       int
	first, last time.Time
	tag, port   uint32
}

// NewDetector returns a Detector; Run receives.
func NewDetector(o DetectorOptions) *Detector {
	c := &Detector{o: o, list: map[conflict]*sighting{}}
	c.packets = packetin.New(packetin.Options{Socket: o.Socket, Flows: pipeline.Claims(), Meter: pipeline.LeaseClaims.Meter(),
		Handle: func(_ context.Context, p packetin.Packet) { c.receive(p.InPort, p.Match, p.Frame) }, Workers: 1, Log: o.Log})
	return c
}

// Run receives until ctx ends; then it returns nil. If the switch goes away, it waits for its return.
func (c *Detector) Run(ctx context.Context) error { return c.packets.Run(ctx) }

// receive handles a message that arrived at a port.
func (c *Detector) receive(port uint32, m flow.Match, b []byte) {
	said, err := frame.ParseAnnouncement(b)
	if err != nil {
		return
	}
	segment, _ := pipeline.Origin(m)
	var what conflict
	var tag uint32
	c.o.View(func(s *ofnet.State) {
		if !s.Local.Receives(port) { // this host's own frames may come back by another member of the trunk
			return
		}
		e, at := pipeline.Claimed(s, segment, said.Addr, said.Link)
		if e == nil || said.Link == at && said.EthSrc == at && (said.Addr == e.IP4 || said.Addr == e.IP6) { // it is correct
			return
		}
		by := said.EthSrc
		if by == at {
			by = said.Link
		}
		what, tag = conflict{e.ID, said.Addr, at, by}, s.Segments.Get(e.Segment).Tag
	})
	if what.endpoint == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.forget(now)
	of := c.list[what]
	if of == nil {
		if len(c.list) >= maxConflicts {
			return
		}
		of = &sighting{first: now}
		c.list[what] = of
	}
	of.times, of.last, of.tag, of.port = of.times+1, now, tag, port
}

// forget deletes old conflicts.
func (c *Detector) forget(now time.Time) {
	maps.DeleteFunc(c.list, func(_ conflict, m *sighting) bool { return now.Sub(m.last) > conflictLifetime })
}

// Look returns the machines outside that have claimed an address recently. If there are several conflicts of a container's addresses, it
// returns the latest.
func (c *Detector) Look(context.Context) (out []model.Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.forget(now)
	last := map[string]conflict{}
	for what, m := range c.list {
		if was, ok := last[what.endpoint]; !ok || m.last.After(c.list[was].last) {
			last[what.endpoint] = what
		}
	}
	c.o.View(func(s *ofnet.State) {
		for id, what := range last {
			if s.Endpoints.Get(id) != nil {
				out = append(out, c.finding(what, c.list[what], now))
			}
		}
	})
	slices.SortFunc(out, func(a, b model.Finding) int { return cmp.Compare(a.Object, b.Object) })
	return out
}

// finding describes a conflict.
func (c *Detector) finding(what conflict, m *sighting, now time.Time) model.Finding {
	f := model.Finding{Code: model.FindingAddressConflict, Severity: model.SeverityError, Object: ofnet.Key{Kind: ofnet.KindEndpoint, Name: what.endpoint}.String()}
	where := fmt.Sprintf("behind %s (port %d) with VLAN %d, %s within %s, the last %s ago", c.o.Uplink(m.port), m.port, m.tag,
		times(m.times), now.Sub(m.first).Round(time.Second), now.Sub(m.last).Round(time.Second))
	if what.own == what.by {
		f.Evidence = fmt.Sprintf("a machine with the container's link address %s says to have the address %s, %s", mac(what.own), textOf(what.addr), where)
		f.Remedy = "give one of the two another link address, or look for a loop in the network behind the uplink"
	} else {
		f.Evidence = fmt.Sprintf("%s, which is at %s, is claimed by a machine with link address %s, %s", textOf(what.addr), mac(what.own), mac(what.by), where)
		f.Remedy = fmt.Sprintf("find the machine by %s in the address table of the physical switch and give it another address; machines of the VLAN reach it instead of the container", mac(what.by))
	}
	if f.Next = "netctl node uplinks " + c.o.Host; what.addr.IsValid() {
		f.Next = "netctl ip who " + what.addr.String()
	}
	return f
}

func textOf(a netip.Addr) string {
	if !a.IsValid() {
		return "none yet"
	}
	return a.String()
}

func mac(m ofnet.MAC) string {
	return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5])
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
