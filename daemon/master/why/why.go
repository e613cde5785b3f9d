// SPDX-License-Identifier: Apache-2.0

// Package why answers whether one end reaches another, and why: it resolves names, evaluates the objects, and traces the packet and its
// answer through the switches on the path.
package why

import (
	"context"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
)

// Tracer asks the agent of a host what its switch would do with a packet. It blocks until the answer.
type Tracer func(ctx context.Context, host string, ask model.TraceRequest) (model.Trace, error)

// Prober makes the agent of a host send a packet from an endpoint's container. It blocks until an answer or a timeout.
type Prober func(ctx context.Context, host, endpoint string, packet model.TracePacket) (model.WhyProbe, error)

// Explainer answers requests.
type Explainer struct {
	catalog *catalog.Catalog
	trace   Tracer
	probe   Prober
	keep    history.Keep
	past    *past // nil: the present is explained
}

// New returns an Explainer about the objects in c, and about their history as far as it is kept.
func New(c *catalog.Catalog, trace Tracer, probe Prober, keep history.Keep) *Explainer {
	return &Explainer{catalog: c, trace: trace, probe: probe, keep: keep}
}

// Protocols that a request may name.
const (
	icmp = "icmp"
	tcp  = "tcp"
	udp  = "udp"
)

// Ask answers a request. It asks the agents on the path and blocks until they have answered; the answer names an agent that does not. Names
// without or with several meanings are errors.
func (a *Explainer) Ask(ctx context.Context, q model.WhyRequest) (model.Why, error) {
	if err := q.Resolve(); err != nil {
		return model.Why{}, err
	}
	out := model.Why{Protocol: q.Protocol, Port: q.Port}
	if a.past != nil {
		return a.past.ask(a, q, out)
	}
	var from, to end
	var err error
	var way path
	a.catalog.View(func(v *catalog.View) {
		if from, to, err = both(v, q); err != nil {
			return
		}
		defer func() { out.Changed = changed(history.Open(v, a.keep), from, to, out.Intent) }()
		var lacks string
		if from, lacks, way.try = asClient(v, from, to); lacks != "" {
			out.Intent, way.unroutable = model.WhyIntent{Verdict: model.VerdictDenied, Text: lacks}, true
			return
		}
		agree(&from, &to)
		out.Intent = intend(v, from, to, q)
		way = plan(v, from, to, q)
	})
	if err != nil {
		return model.Why{}, err
	}
	out.From, out.To = from.shown(), to.shown()
	arrived := model.TracePacket{}
	if out.Forward, arrived = a.walk(ctx, way.there); way.there.host == "" {
		out.Forward.Verdict = model.VerdictUnknown
	}
	if out.Forward.Verdict == model.VerdictAllowed {
		out.Reverse, _ = a.walk(ctx, way.back(arrived))
	}
	if way.unroutable {
		out.Verdict, out.Text = out.Intent.Verdict, strings.TrimSpace(out.Intent.Text+": it cannot be sent. "+way.try)
		return a.finish(ctx, out, from, to, q)
	}
	conclude(&out)
	if h := stopped(&out); h != nil && h.Try != "" {
		out.Text += " On host " + h.Host + ": " + h.Try + "."
	}
	out.Text = strings.TrimSpace(out.Text + " " + remedy(&out))
	return a.finish(ctx, out, from, to, q)
}

// finish adds the result of a sent packet to an answer, if one was requested, and the next command.
func (a *Explainer) finish(ctx context.Context, out model.Why, from, to end, q model.WhyRequest) (model.Why, error) {
	if q.Probe {
		out.Probe = a.send(ctx, from, to, q)
		confront(&out)
	}
	out.Next = next(&out)
	return out, nil
}

// conclude compares the intent of the objects with the behavior of the switches.
func conclude(w *model.Why) {
	actual := w.Forward.Verdict
	if actual == model.VerdictAllowed && w.Reverse.Verdict != "" {
		actual = w.Reverse.Verdict
	}
	wanted := w.Intent.Verdict
	switch {
	case actual == model.VerdictUnknown && len(w.Forward.Hops) == 0:
		w.Verdict, w.Text = model.VerdictUnknown, "By the objects: "+w.Intent.Text+". No switch can be asked about it."
	case actual == model.VerdictUnknown:
		w.Verdict, w.Text = model.VerdictUnknown, "By the objects: "+w.Intent.Text+". The switches: "+lastText(w)+"."
	case wanted == model.VerdictUnknown:
		w.Verdict, w.Text = actual, "The switches: "+lastText(w)+"."
	case wanted == actual:
		w.Verdict, w.Text = actual, w.Intent.Text+"; the switches agree."
	case actual == model.VerdictDenied && stopped(w) != nil && isClosed(stopped(w).Steps):
		w.Verdict, w.Text = actual, w.Intent.Text+", but what is closed to containers is opened by no object: "+lastText(w)+"."
	case actual == model.VerdictDenied && stopped(w) != nil:
		w.Verdict, w.Text = actual, w.Intent.Text+", and the switches let it go; but "+lastText(w)+"."
	default:
		w.Verdict = model.VerdictDisagree
		w.Text = "By the objects: " + w.Intent.Text + ". But the switches: " + lastText(w) + "."
	}
}

// stopped returns the hop behind whose switch the packet is or may be lost; nil if there is none.
func stopped(w *model.Why) *model.WhyHop {
	for _, way := range []*model.WhyPath{&w.Reverse, &w.Forward} {
		if n := len(way.Hops); n > 0 && way.Hops[n-1].Outside && way.Hops[n-1].Verdict != model.VerdictAllowed {
			return &way.Hops[n-1]
		}
	}
	return nil
}

// lastText describes the end of the path.
func lastText(w *model.Why) string {
	hops := w.Forward.Hops
	if n := len(w.Reverse.Hops); n > 0 && w.Reverse.Verdict != model.VerdictAllowed {
		return "of the answer, " + w.Reverse.Hops[n-1].Host + " " + w.Reverse.Hops[n-1].Text
	}
	if len(hops) == 0 {
		return "no switch was asked"
	}
	return hops[len(hops)-1].Host + " " + hops[len(hops)-1].Text
}
