// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"net/url"

	"github.com/contiv/contiv/api/model"
)

// published asks the agent of an endpoint's host which ports of the host lead to it.
func (i *Inspector) published(ctx context.Context, o *model.EndpointOper) {
	agent := i.Peers.Agent(o.HomingHost)
	if agent == "" {
		o.Published = []string{"unknown: no agent of host " + o.HomingHost + " is registered"}
		return
	}
	var ports []model.PublishedPort
	if err := i.Peers.Ask(ctx, agent, "/inspect/published?of="+url.QueryEscape(o.Key), &ports); err != nil {
		o.Published = []string{"unknown: host " + o.HomingHost + ": " + err.Error()}
		return
	}
	for n := range ports {
		o.Published = append(o.Published, ports[n].String())
	}
}
