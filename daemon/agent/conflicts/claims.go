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
	// claimLasts is for how long a claim is told after it was made last: neighbours ask one another again within that.
	claimLasts = 2 * time.Minute
	mostClaims = 256
)

// ClaimOptions are what Claims needs.
type ClaimOptions struct {
	Host   string                     // label
	Socket string                     // the bridge's management socket
	View   func(func(s *ofnet.State)) // shows what the switch is to do
	Uplink func(port uint32) string   // name of the NIC that a port is
	Log    *slog.Logger
}

// Claims hears what machines behind the uplinks say of the addresses of containers here. It is safe for concurrent use.
type Claims struct {
	o       ClaimOptions
	packets *packetin.Receiver

	mu   sync.Mutex
	list map[claim]*made
}

// claim is that someone outside has an address of a container here.
type claim struct {
	endpoint string
	addr     netip.Addr // that is claimed; invalid: it has none yet
	own, by  ofnet.MAC  // link addresses of the container and of the machine
}

// made says how often and where a claim was made.
type made struct {
	times       int
	first, last time.Time
	tag, port   uint32
}

// NewClaims makes Claims; Run has it hear.
func NewClaims(o ClaimOptions) *Claims {
	c := &Claims{o: o, list: map[claim]*made{}}
	c.packets = packetin.New(packetin.Options{Socket: o.Socket, Flows: pipeline.Claims(), Meter: pipeline.LeaseClaims.Meter(),
		Handle: func(_ context.Context, p packetin.Packet) { c.take(p.InPort, p.Match, p.Frame) }, Workers: 1, Log: o.Log})
	return c
}

// Run hears until ctx ends; then it returns nil. A switch that goes away is waited for.
func (c *Claims) Run(ctx context.Context) error { return c.packets.Run(ctx) }

// take takes a message that came in by a port.
func (c *Claims) take(port uint32, m flow.Match, b []byte) {
	said, err := frame.ParseAnnouncement(b)
	if err != nil {
		return
	}
	segment, _ := pipeline.Origin(m)
	var what claim
	var tag uint32
	c.o.View(func(s *ofnet.State) {
		if !s.Local.Receives(port) { // what this host has sent itself may come back by another member of the trunk
			return
		}
		e, at := pipeline.Claimed(s, segment, said.Addr, said.Link)
		if e == nil || said.Link == at && said.EthSrc == at && (said.Addr == e.IP4 || said.Addr == e.IP6) { // it says what is so
			return
		}
		by := said.EthSrc
		if by == at {
			by = said.Link
		}
		what, tag = claim{e.ID, said.Addr, at, by}, s.Segments.Get(e.Segment).Tag
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
		if len(c.list) >= mostClaims {
			return
		}
		of = &made{first: now}
		c.list[what] = of
	}
	of.times, of.last, of.tag, of.port = of.times+1, now, tag, port
}

// forget forgets what was not said lately.
func (c *Claims) forget(now time.Time) {
	maps.DeleteFunc(c.list, func(_ claim, m *made) bool { return now.Sub(m.last) > claimLasts })
}

// Look says who outside has claimed an address lately. Of several claims of a container's addresses it tells the one that was made last.
func (c *Claims) Look(context.Context) (out []model.Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.forget(now)
	last := map[string]claim{}
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

// finding says a claim in words.
func (c *Claims) finding(what claim, m *made, now time.Time) model.Finding {
	f := model.Finding{Code: model.FindingAddressConflict, Severity: model.SeverityError, Object: ofnet.Key{Kind: ofnet.KindEndpoint, Name: what.endpoint}.String()}
	where := fmt.Sprintf("behind %s (port %d) with VLAN %d, %s within %s, the last %s ago", c.o.Uplink(m.port), m.port, m.tag,
		times(m.times), now.Sub(m.first).Round(time.Second), now.Sub(m.last).Round(time.Second))
	if what.own == what.by {
		f.Evidence = fmt.Sprintf("a machine with the container's link address %s says to have the address %s, %s", mac(what.own), said(what.addr), where)
		f.Remedy = "give one of the two another link address, or look for a loop in the network behind the uplink"
	} else {
		f.Evidence = fmt.Sprintf("%s, which is at %s, is claimed by a machine with link address %s, %s", said(what.addr), mac(what.own), mac(what.by), where)
		f.Remedy = fmt.Sprintf("find the machine by %s in the address table of the physical switch and give it another address; machines of the VLAN reach it instead of the container", mac(what.by))
	}
	if f.Next = "netctl node uplinks " + c.o.Host; what.addr.IsValid() {
		f.Next = "netctl ip who " + what.addr.String()
	}
	return f
}

func said(a netip.Addr) string {
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
