// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
)

// Reach has the agent of a host send a packet from an endpoint's container. It blocks until something came back, or nothing did in time.
func (p *Peers) Reach(ctx context.Context, host, endpoint string, packet model.TracePacket) (out model.WhyProbe, err error) {
	query := url.Values{"endpoint": {endpoint}, "to": {packet.Dst}, "protocol": {packet.Protocol}, "port": {strconv.Itoa(packet.DstPort)}}
	answer, err := p.Call(ctx, http.MethodPost, host, "reach", query.Encode())
	if err != nil {
		return out, err
	}
	defer func() { _ = answer.Body.Close() }()
	err = json.NewDecoder(http.MaxBytesReader(nil, answer.Body, 1<<16)).Decode(&out)
	return out, err
}
