// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/identity"
)

// find finds an object by its key; nil: there is none.
func find(s *feed.Snapshot, k *model.Kind, key string) model.Object {
	objects := s.Objects[k.Name]
	if i, ok := slices.BinarySearchFunc(objects, key, func(o model.Object, key string) int { return cmp.Compare(o.ObjectKey(), key) }); ok {
		return objects[i]
	}
	return nil
}

// each is the objects of a snapshot that are of one Go type.
func each[T model.Object](s *feed.Snapshot) (out []T) {
	var none T
	for _, o := range s.Objects[none.Kind().Name] {
		if x, ok := o.(T); ok {
			out = append(out, x)
		}
	}
	return out
}

// findEndpoint finds an endpoint by its key; nil: there is none.
func findEndpoint(s *feed.Snapshot, key string) *feed.Endpoint {
	if i := slices.IndexFunc(s.Endpoints, func(e *feed.Endpoint) bool { return e.Key == key }); i >= 0 {
		return s.Endpoints[i]
	}
	return nil
}

// findEndpoints are the endpoints that a text names: the one with that key, or those with that ID or container, which other networks and
// tenants may have too, or that pod, NAMESPACE:POD.
func findEndpoints(s *feed.Snapshot, id string) (out []*feed.Endpoint) {
	if e := findEndpoint(s, id); e != nil {
		return []*feed.Endpoint{e}
	}
	for _, e := range s.Endpoints {
		if e.EndpointID == id || e.ContainerName == id || e.Pod != "" && strings.ReplaceAll(e.Pod, "/", ":") == id {
			out = append(out, e)
		}
	}
	return out
}

// endpointsOn are the endpoints of a network's key: they stand cellGroup.
func endpointsOn(s *feed.Snapshot, network string) []*feed.Endpoint {
	first, _ := slices.BinarySearchFunc(s.Endpoints, identity.Join(network, ""), func(e *feed.Endpoint, from string) int { return strings.Compare(e.Key, from) })
	last := first
	for last < len(s.Endpoints) && s.Endpoints[last].NetworkKey() == network {
		last++
	}
	return s.Endpoints[first:last]
}

func firstAddress(e *feed.Endpoint) string { return e.IpAddress[0] }

// groupOf finds a group by its key "group:tenant"; nil: there is none.
func groupOf(s *feed.Snapshot, key string) *model.EndpointGroup {
	id, _ := identity.ParseReversedGroup(key)
	g, _ := find(s, model.KindEndpointGroup(), id.String()).(*model.EndpointGroup)
	return g
}

// agents are the hosts that are registered or have endpoints.
func agents(s *feed.Snapshot) (out []*model.Node) {
	for i := range s.Nodes {
		if s.Nodes[i].Role == model.RoleAgent {
			out = append(out, &s.Nodes[i])
		}
	}
	return out
}

// masters are the netmasters.
func masters(s *feed.Snapshot) (out []*model.Node) {
	for i := range s.Nodes {
		if s.Nodes[i].Role != model.RoleAgent {
			out = append(out, &s.Nodes[i])
		}
	}
	return out
}

func nodeName(n *model.Node) string { return n.Name }

// part identifies a list of a snapshot: one that is shared with another snapshot is the same.
type part struct {
	first any
	n     int
}

func partOf[T any](list []T) part {
	if len(list) == 0 {
		return part{}
	}
	return part{&list[0], len(list)}
}

// parts are the lists of objects of kinds.
func parts(s *feed.Snapshot, kinds ...*model.Kind) (out [4]part) {
	for i, k := range kinds {
		out[i] = partOf(s.Objects[k.Name])
	}
	return out
}
