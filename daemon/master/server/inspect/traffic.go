// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"net/url"
	"time"

	"github.com/contiv/contiv/api/model"
)

// traffic asks the agent of an endpoint's host what the endpoint has sent and received.
func (i *Inspector) traffic(ctx context.Context, o *model.EndpointOper) {
	agent := i.Peers.Agent(o.HomingHost)
	if agent == "" {
		o.Counted = "unknown: no agent of host " + o.HomingHost + " is registered"
		return
	}
	var t model.EndpointTraffic
	if err := i.Peers.Ask(ctx, agent, "/inspect/traffic?of="+url.QueryEscape(o.Key), &t); err != nil {
		o.Counted = "unknown: host " + o.HomingHost + ": " + err.Error()
		return
	}
	o.Counted = "since " + t.Since.UTC().Format(time.RFC3339)
	o.PacketsSent, o.BytesSent = int(t.Sent.Packets), int(t.Sent.Bytes)
	o.PacketsReceived, o.BytesReceived = int(t.Received.Packets), int(t.Received.Bytes)
	if t.Refused != nil {
		o.PacketsRefused = int(t.Refused.Packets)
	} else {
		o.Counted += "; refused packets unknown"
	}
	if t.Limited {
		o.Counted += "; what the limit for receiving drops is among the received"
	}
}
