// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"cmp"
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/ofnet/link"
)

// unroutedLately is how long ago the last packet may have gone nowhere.
const unroutedLately = 30 * time.Second

// ExternalPath looks whether the host can pass on what it is to route for containers. A host without a route that no container asks for
// is well: containers may be meant to stay inside.
type ExternalPath struct {
	Host     string
	Routes   func() (families []netip.Addr) // an address of the private subnet for each family that containers leave by; none: the host routes nothing
	NextHop  func(src, dst netip.Addr) (link.NextHop, error)
	Unrouted func() (v4, v6 uint64, err error) // packets of all senders that the kernel dropped for lack of a route
	Sent     func() (uint64, error)            // packets that containers have sent to the host
	Now      func() time.Time

	mu     sync.Mutex
	v4, v6 unrouted
}

// unrouted is what was counted of a family.
type unrouted struct {
	known   bool
	packets uint64
	sent    uint64
	last    time.Time // when both were seen to grow; zero: never
}

// Check looks every ten seconds.
func (w *ExternalPath) Check() check.Check {
	return check.Check{Name: "way out", Interval: 10 * time.Second, Look: w.look}
}

func (w *ExternalPath) look(context.Context) (out []model.Finding) {
	v4, v6, failed := w.Unrouted()
	sent, unread := w.Sent()
	failed = cmp.Or(failed, unread)
	for _, src := range w.Routes() {
		outside := netip.AddrFrom4([4]byte{192, 0, 2, 1}) // of RFC 5737 and RFC 3849: no one's, so that the default route is what leads there
		n := v4
		if src.Is6() {
			outside, n = netip.MustParseAddr("2001:db8::1"), v6
		}
		on, err := w.NextHop(src, outside)
		err = cmp.Or(err, failed)
		lately := err == nil && w.lately(src.Is6(), n, sent)
		f := model.Finding{Object: "host/" + w.Host, Next: "netctl node ls"}
		switch {
		case err != nil:
			f.Code, f.Severity, f.Evidence, f.Remedy = model.FindingWayoutUnknown, model.SeverityUnknown, "the host's routes were not read: "+err.Error(), "check the agent's log"
		case on.Lost != "" && (lately || !on.None):
			f.Code, f.Severity = model.FindingWayoutMissing, model.SeverityWarning
			f.Evidence, f.Remedy = "containers reach nothing outside by this host, which "+on.Lost, "correct the route, unless containers are to stay inside: "+on.Try
			if on.None {
				family, command := "IPv4", "ip route add default via ROUTER"
				if src.Is6() {
					family, command = "IPv6", "ip -6 route add default via ROUTER"
				}
				f.Evidence = "containers reach nothing outside by this host, which has no default route of " + family + "; packets were dropped for lack of a route within the last half minute"
				f.Remedy = "give the host a default route (" + command + "); do nothing if containers are to stay inside"
			}
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}

// lately reports whether the kernel recently dropped packets of a family for lack of a route while containers sent packets to the host.
// packets and sent are the counters of both now.
func (w *ExternalPath) lately(six bool, packets, sent uint64) bool {
	now := w.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	c := &w.v4
	if six {
		c = &w.v6
	}
	if c.known && packets > c.packets && sent > c.sent {
		c.last = now
	}
	c.known, c.packets, c.sent = true, packets, sent
	return !c.last.IsZero() && now.Sub(c.last) <= unroutedLately
}
