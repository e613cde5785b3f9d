// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"cmp"
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
)

// Label sends the masters a container's labels, as the agent does when a runtime starts it; none: reports it as dead.
func (l *Lab) Label(ctx context.Context, name string, labels map[string]string) error {
	c, err := l.Container(name)
	if err != nil {
		return err
	}
	api, err := l.Client()
	if err != nil {
		return err
	}
	request := model.UpdateEndpointRequest{Event: "start", Tenant: c.Tenant, Network: cmp.Or(c.Network, c.Group), EndpointID: containerID(*c),
		ContainerID: containerID(*c), EPCommonName: c.Name, Labels: labels}
	api.Timeout = startTimeout
	if len(labels) == 0 {
		request.Event = "die"
	}
	return channel.Master{Client: api}.UpdateEndpoint(ctx, request)
}

// containerID is the runtimes' id of a container of the lab.
func containerID(c Container) string { return "lab-" + c.Name }
