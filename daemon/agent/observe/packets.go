// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"net/netip"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/packetin"
)

// conversation identifies packets that are reported once.
type conversation struct {
	tenant           uint16
	refused          bool
	sender           uint32 // port, if the source address is not the sender's
	src, dst         netip.Addr
	protocol         uint8
	srcPort, dstPort uint16
}

// reportedEvent is the event of a conversation.
type reportedEvent struct {
	number uint64
	first  time.Time
}

const (
	// again is how long packets of a conversation count as one event.
	again = 10 * time.Second
	// maxReported bounds the remembered conversations: the meters let fewer pass within again.
	maxReported = 4096
)

// packet handles a dropped packet.
func (o *Observer) packet(_ context.Context, p packetin.Packet) {
	h, err := frame.ParseHeaders(p.Frame)
	if err != nil || h.Dst.IsMulticast() || h.Src.IsUnspecified() || h.Src.IsLinkLocalUnicast() || h.Dst == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return
	}
	ended := o.Pipeline.Ended(p.Table, p.Match)
	what := conversation{ended.Tenant, ended.Refused, ended.Sender, h.Src, h.Dst, h.Protocol, h.SrcPort, h.DstPort}
	now := o.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	if t, ok := o.reported[what]; ok && now.Sub(t.first) < again {
		o.ring.again(t.number)
		return
	}
	e := model.Observed{Time: now, Host: o.Host, Verdict: model.ObservedDropped, Proto: protocolName(h.Protocol), SrcPort: int(h.SrcPort), Port: int(h.DstPort),
		Reason: ended.Why, Count: 1}
	revision := o.Revision() // before View, which may hold the lock
	o.View(func(s *ofnet.State) {
		e.Tenant = tenantOf(s, ended.Tenant)
		e.From, e.To = end(s, e.Tenant, h.Src), end(s, e.Tenant, h.Dst)
		if ended.Sender != 0 {
			e.From = sender(s, ended.Sender, h.Src)
		}
		if ended.Asked.IsValid() && ended.Asked != h.Dst {
			e.Service = service(s, e.Tenant, ended.Asked)
		} else {
			e.Service = service(s, e.Tenant, h.Dst)
		}
		if !ended.Refused {
			return
		}
		e.Verdict = model.ObservedRefused
		at := decision{e.From.Group, ofnet.Out, ended.Out}
		if ended.In != 0 {
			at = decision{e.To.Group, ofnet.In, ended.In}
		}
		switch by := o.deciders.get(s, revision, at); {
		case by.Deny && by.Text != "":
			e.Reason = by.Text
		case by.Deny:
			e.Rules = ruleName(by.Key, o.Rule)
		default:
			e.Reason = "a rule refuses it; which one is unknown"
		}
	})
	if e.Tenant == "" {
		return // of an unknown tenant: no user may see it
	}
	o.name(&e)
	if len(o.reported) >= maxReported {
		for k, t := range o.reported {
			if now.Sub(t.first) >= again {
				delete(o.reported, k)
			}
		}
		if len(o.reported) >= maxReported {
			clear(o.reported) // some are reported twice, and none is lost
		}
	}
	o.reported[what] = reportedEvent{o.ring.add(e), now}
}
