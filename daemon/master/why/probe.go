// SPDX-License-Identifier: Apache-2.0

package why

import (
	"context"

	"github.com/contiv/contiv/api/model"
)

// send makes one end send a packet to the other, and describes the answer.
func (a *Explainer) send(ctx context.Context, from, to end, q model.WhyRequest) *model.WhyProbe {
	unknown := func(why string) *model.WhyProbe {
		return &model.WhyProbe{Verdict: model.VerdictUnknown, Text: "nothing was sent: " + why}
	}
	switch {
	case from.endpoint == nil || from.kind == kindHost:
		return unknown(from.name + " is no container, and only containers can send packets")
	case !to.address.IsValid():
		return unknown(to.name + " has no address")
	}
	out, err := a.probe(ctx, from.endpoint.Host, from.endpoint.ID.String(), model.TracePacket{Dst: to.address.String(), Protocol: q.Protocol, DstPort: q.Port})
	if err != nil {
		return unknown(err.Error())
	}
	return &out
}

// confront compares the verdict with the result of the sent packet.
func confront(w *model.Why) {
	switch sent := w.Probe.Verdict; {
	case sent == model.VerdictUnknown || sent == w.Verdict || w.Verdict == model.VerdictDisagree:
	case w.Verdict == model.VerdictUnknown:
		w.Verdict, w.Text = sent, w.Text+" A packet was sent, and "+w.Probe.Text+"."
	default:
		w.Verdict, w.Text = model.VerdictDisagree, w.Text+" But a packet was sent, and "+w.Probe.Text+"."
	}
}
