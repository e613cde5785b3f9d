// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet/link"
)

// Reach sends a packet from within a container, as (*link.Host).Reach does.
type Reach func(ctx context.Context, netns, protocol string, to netip.AddrPort) (link.Reached, error)

// reachTimeout bounds the wait for an answer.
const reachTimeout = 2 * time.Second

// reach sends a packet from an endpoint's container and returns the answer. The query has the endpoint's state id, the address to, the
// protocol "tcp", "udp" or "icmp", and the number port.
func (o *Options) reach(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	to, err := netip.ParseAddr(q.Get("to"))
	if err != nil {
		text(w, http.StatusBadRequest, "to: "+strconv.Quote(q.Get("to"))+" is not an address\n")
		return
	}
	port, err := strconv.ParseUint(cmp.Or(q.Get("port"), "0"), 10, 16)
	if err != nil {
		text(w, http.StatusBadRequest, "port: "+strconv.Quote(q.Get("port"))+" is no port\n")
		return
	}
	protocol := q.Get("protocol")
	if protocol != "tcp" && protocol != "udp" && protocol != "icmp" {
		text(w, http.StatusBadRequest, "protocol: "+strconv.Quote(protocol)+" is none of tcp, udp and icmp\n")
		return
	}
	netns, found := "", false
	for _, a := range o.Attach.List() {
		if a.StateID == q.Get("endpoint") {
			netns, found = a.Netns, true
		}
	}
	switch {
	case !found:
		text(w, http.StatusBadRequest, "endpoint "+strconv.Quote(q.Get("endpoint"))+" is not attached here\n")
		return
	case netns == "":
		answer(w, model.WhyProbe{Verdict: model.VerdictUnknown, Text: "nothing was sent: only the container's engine knows where its network namespace is"})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), reachTimeout)
	defer cancel()
	got, err := o.Reach(ctx, netns, protocol, netip.AddrPortFrom(to, uint16(port)))
	switch {
	case errors.Is(err, link.ErrNoNamespace):
		answer(w, model.WhyProbe{Verdict: model.VerdictDenied, Text: "nothing could be sent: the container's network namespace " + netns + " is gone"})
	case err != nil:
		text(w, http.StatusServiceUnavailable, err.Error()+"\n")
	default:
		answer(w, came(protocol, int(port), &got))
	}
}

// came describes the answer to a packet.
func came(protocol string, port int, got *link.Reached) model.WhyProbe {
	took := got.Duration.Round(10 * time.Microsecond)
	out := model.WhyProbe{Verdict: model.VerdictAllowed, Micros: got.Duration.Microseconds()}
	switch {
	case got.How == link.Answered && protocol == "tcp":
		out.Text = fmt.Sprintf("a connection was opened within %v, and closed again", took)
	case got.How == link.Answered:
		out.Text = fmt.Sprintf("it was answered within %v", took)
	case got.How == link.Refused:
		out.Text = fmt.Sprintf("it was refused within %v: packets go there and back, but nothing listens at %s port %d", took, protocol, port)
	case got.How == link.Unreachable:
		out.Verdict, out.Text = model.VerdictDenied, "the container's kernel, or a router, says: "+got.Reason
	case protocol == "udp":
		out.Verdict, out.Micros = model.VerdictUnknown, 0
		out.Text = fmt.Sprintf("nothing came back within %v, which may be the program's doing: it need not answer an empty datagram", took)
	default:
		out.Verdict, out.Micros = model.VerdictDenied, 0
		out.Text = fmt.Sprintf("nothing came back within %v", took)
	}
	return out
}
