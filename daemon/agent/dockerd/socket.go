// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"golang.org/x/sync/errgroup"
)

// socket is an engine behind a unix socket. The first request negotiates the version of its API.
type socket struct {
	*client.Client
	path string
}

// Dial returns the engine at a unix socket's path. It does not connect.
func Dial(path string) (Engine, error) {
	c, err := client.New(client.WithHost("unix://" + path))
	if err != nil {
		return nil, fmt.Errorf("docker engine at %s: %w", path, err)
	}
	return &socket{c, path}, nil
}

func (s *socket) Identity(ctx context.Context) (Identity, error) {
	r, err := s.Info(ctx, client.InfoOptions{})
	return Identity{r.Info.ID, r.Info.ServerVersion}, err
}

func (s *socket) Ping(ctx context.Context) error {
	_, err := s.Client.Ping(ctx, client.PingOptions{})
	return err
}

func (s *socket) Events(ctx context.Context, since time.Time) (<-chan Event, <-chan error) {
	of := client.Filters{}.Add("type", string(events.ContainerEventType), string(events.NetworkEventType))
	r := s.Client.Events(ctx, client.EventsListOptions{Since: strconv.FormatInt(since.Unix(), 10), Filters: of})
	out := make(chan Event)
	go func() {
		for {
			select {
			case m := <-r.Messages:
				e, relevant := eventOf(m)
				if !relevant {
					continue
				}
				select {
				case out <- e:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, r.Err
}

// eventOf converts an event of the API; relevant is false if the watcher does not need it.
func eventOf(m events.Message) (e Event, relevant bool) {
	switch m.Type {
	case events.ContainerEventType:
		switch m.Action {
		case events.ActionStart, events.ActionDie, events.ActionRename, events.ActionDestroy:
			return Event{Container: m.Actor.ID}, true
		}
	case events.NetworkEventType:
		switch m.Action {
		case events.ActionConnect:
			return Event{Container: m.Actor.Attributes["container"], Joined: true}, true
		case events.ActionDisconnect:
			return Event{Container: m.Actor.Attributes["container"], Joined: true, Network: true}, true
		case events.ActionCreate, events.ActionDestroy, events.ActionRemove:
			return Event{Network: true}, true
		}
	}
	return Event{}, false
}

func (s *socket) Running(ctx context.Context) (ids []string, err error) {
	r, err := s.ContainerList(ctx, client.ContainerListOptions{})
	for i := range r.Items {
		if n := r.Items[i].NetworkSettings; n != nil && len(n.Networks) > 0 {
			ids = append(ids, r.Items[i].ID)
		}
	}
	return ids, err
}

func (s *socket) Container(ctx context.Context, id string) (Container, bool, error) {
	r, err := s.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	if errdefs.IsNotFound(err) {
		return Container{}, false, nil
	}
	return containerOf(&r.Container), err == nil, err
}

// containerOf converts a container of the API.
func containerOf(r *container.InspectResponse) Container {
	c := Container{ID: r.ID, Name: strings.TrimPrefix(r.Name, "/")}
	if r.State != nil && r.State.Running {
		c.PID = r.State.Pid
	}
	if r.Config != nil {
		c.Labels = r.Config.Labels
	}
	if r.NetworkSettings == nil {
		return c
	}
	for _, name := range slices.Sorted(maps.Keys(r.NetworkSettings.Networks)) {
		n := r.NetworkSettings.Networks[name]
		if n == nil || n.EndpointID == "" {
			continue
		}
		i := Interface{Endpoint: n.EndpointID, Network: n.NetworkID, Name: name}
		for _, alias := range append(slices.Clone(n.Aliases), n.DNSNames...) {
			if alias != "" && alias != c.Name && !slices.Contains(i.Aliases, alias) {
				i.Aliases = append(i.Aliases, alias)
			}
		}
		slices.Sort(i.Aliases)
		c.Interfaces = append(c.Interfaces, i)
	}
	return c
}

// together is the number of concurrent requests.
const together = 4

func (s *socket) Endpoints(ctx context.Context, driver string) (map[string]struct{}, error) {
	containers, err := s.ContainerList(ctx, client.ContainerListOptions{All: true})
	if err != nil {
		return nil, err
	}
	networks, err := s.NetworkList(ctx, client.NetworkListOptions{})
	if err != nil {
		return nil, err
	}
	out := map[string]struct{}{}
	for i := range containers.Items {
		if n := containers.Items[i].NetworkSettings; n != nil {
			for _, e := range n.Networks {
				if e != nil && e.EndpointID != "" {
					out[e.EndpointID] = struct{}{}
				}
			}
		}
	}
	found := make([]network.Inspect, len(networks.Items))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(together)
	for i, n := range networks.Items {
		if n.Driver != driver {
			continue
		}
		group.Go(func() error {
			r, err := s.NetworkInspect(groupCtx, n.ID, client.NetworkInspectOptions{})
			if errdefs.IsNotFound(err) {
				return nil
			}
			found[i] = r.Network
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, n := range found {
		for _, e := range n.Containers {
			out[e.EndpointID] = struct{}{}
		}
	}
	return out, nil
}

func (s *socket) Networks(ctx context.Context) ([]Network, error) {
	r, err := s.NetworkList(ctx, client.NetworkListOptions{})
	if err != nil {
		return nil, err
	}
	out := make([]Network, 0, len(r.Items))
	for i := range r.Items {
		out = append(out, networkOf(&r.Items[i].Network))
	}
	slices.SortFunc(out, func(a, b Network) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// networkOf converts a network of the API.
func networkOf(n *network.Network) Network {
	out := Network{ID: n.ID, Name: n.Name, Created: n.Created, Internal: n.Internal, Spec: Spec{Driver: n.Driver, IPAM: n.IPAM.Driver, Options: n.Options,
		IPAMOptions: n.IPAM.Options, Labels: n.Labels, IPv6: n.EnableIPv6}}
	for _, c := range n.IPAM.Config {
		out.Subnets = append(out.Subnets, Subnet{c.Subnet, c.Gateway})
	}
	return out
}

func (s *socket) CreateNetwork(ctx context.Context, name string, p Spec) error {
	o := client.NetworkCreateOptions{Driver: p.Driver, Options: p.Options, Labels: p.Labels, EnableIPv6: &p.IPv6, Attachable: true,
		IPAM: &network.IPAM{Driver: p.IPAM, Options: p.IPAMOptions}}
	for _, n := range p.Subnets {
		o.IPAM.Config = append(o.IPAM.Config, network.IPAMConfig{Subnet: n.Prefix, Gateway: n.Gateway})
	}
	_, err := s.NetworkCreate(ctx, name, o)
	return err
}

func (s *socket) RemoveNetwork(ctx context.Context, id string) error {
	_, err := s.NetworkRemove(ctx, id, client.NetworkRemoveOptions{})
	if errdefs.IsNotFound(err) {
		return nil
	}
	return err
}
