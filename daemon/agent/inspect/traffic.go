// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// traffic returns the packets and bytes that the endpoint in the query has sent and received.
func (o *Options) traffic(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("of")
	out, err := o.trafficOf(r.Context(), id)
	switch {
	case err != nil:
		text(w, http.StatusServiceUnavailable, "read the counters of endpoint "+id+": "+err.Error()+"\n")
	case out == nil:
		text(w, http.StatusNotFound, fmt.Sprintf("endpoint %q has no flows here; is it attached to this host?\n", id))
	default:
		answer(w, out)
	}
}

// trafficOf reads the counters of an endpoint; nil if it is not here.
func (o *Options) trafficOf(ctx context.Context, id string) (*model.EndpointTraffic, error) {
	var hits [3]bridge.Hits // offered packets are read first: packets sent meanwhile were not refused
	for n, c := range []pipeline.Counter{pipeline.Offered, pipeline.Sent, pipeline.Received} {
		var err error
		if hits[n], err = o.Forward.HitsOf(ctx, o.Pipeline.Counted(c, id)); err != nil || hits[n].Flows == 0 {
			return nil, err
		}
	}
	offered, sent, received := hits[0], hits[1], hits[2]
	since := o.Now().Add(-time.Duration(min(sent.Seconds, received.Seconds)) * time.Second)
	out := &model.EndpointTraffic{Since: since, Sent: countOf(sent), Received: countOf(received)}
	if offered.Seconds <= sent.Seconds+1 { // they started together, within the one-second resolution
		out.Refused = &model.FlowCount{Packets: offered.Packets - min(sent.Packets, offered.Packets), Bytes: offered.Bytes - min(sent.Bytes, offered.Bytes)}
	}
	o.Forward.View(func(s *ofnet.State) {
		if e := s.Endpoints.Get(id); e != nil {
			if g := s.Groups.Get(e.Group); g != nil {
				out.Limited = g.Profile.ReceiveRate != 0
			}
		}
	})
	return out, nil
}

func countOf(h bridge.Hits) model.FlowCount {
	return model.FlowCount{Packets: h.Packets, Bytes: h.Bytes}
}
