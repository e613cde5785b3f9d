// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// EndpointSlice is the record of a slice, nil for one that belongs to no service or whose addresses are names.
func EndpointSlice(s *discoveryv1.EndpointSlice) *record.EndpointSlice {
	service := s.Labels[discoveryv1.LabelServiceName]
	if service == "" || s.AddressType != discoveryv1.AddressTypeIPv4 && s.AddressType != discoveryv1.AddressTypeIPv6 {
		return nil
	}
	out := &record.EndpointSlice{ID: identity.EndpointSlice{Namespace: s.Namespace, Name: s.Name}, Service: service}
	_, out.Headless = s.Labels[corev1.IsHeadlessService]
	for _, p := range s.Ports {
		port := record.SlicePort{}
		if p.Port != nil {
			port.Port = number(*p.Port)
		}
		if p.Name != nil {
			port.Name = *p.Name
		}
		var err error
		if p.Protocol != nil {
			port.Protocol, err = protocol(*p.Protocol)
		} else {
			port.Protocol, err = protocol("")
		}
		if err == nil && port.Port != 0 {
			out.Ports = append(out.Ports, port)
		}
	}
	for i := range s.Endpoints {
		if e, ok := backend(&s.Endpoints[i], s.AddressType == discoveryv1.AddressTypeIPv6); ok {
			e.Pod = podOf(&s.Endpoints[i], s.Namespace)
			out.Endpoints = append(out.Endpoints, e)
		}
	}
	return out
}

// backend reads an endpoint, whose addresses are equivalent: the first counts.
func backend(e *discoveryv1.Endpoint, ipv6 bool) (out record.SliceEndpoint, ok bool) {
	if len(e.Addresses) == 0 {
		return out, false
	}
	a, err := netip.ParseAddr(e.Addresses[0])
	if err != nil || a.Zone() != "" || a.Unmap().Is6() != ipv6 {
		return out, false
	}
	out = record.SliceEndpoint{Address: a.Unmap(), State: state(&e.Conditions)}
	for _, f := range []struct {
		to   *string
		from *string
	}{{&out.Hostname, e.Hostname}, {&out.Node, e.NodeName}, {&out.Zone, e.Zone}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if e.Hints != nil {
		for _, z := range e.Hints.ForZones {
			out.ForZones = append(out.ForZones, z.Name)
		}
		for _, n := range e.Hints.ForNodes {
			out.ForNodes = append(out.ForNodes, n.Name)
		}
	}
	return out, true
}

// state reads conditions: an unknown readiness counts as ready, and serving defaults to ready.
func state(c *discoveryv1.EndpointConditions) record.EndpointState {
	ready := c.Ready == nil || *c.Ready
	serving := ready
	if c.Serving != nil {
		serving = *c.Serving
	}
	switch {
	case ready:
		return record.EndpointReady
	case serving && c.Terminating != nil && *c.Terminating:
		return record.EndpointDraining
	}
	return record.EndpointNotReady
}

// podOf returns the pod of a backend, zero if it is none.
func podOf(e *discoveryv1.Endpoint, namespace string) identity.Pod {
	r := e.TargetRef
	if r == nil || r.Kind != "Pod" || r.Name == "" {
		return identity.Pod{}
	}
	if r.Namespace != "" {
		namespace = r.Namespace
	}
	return identity.Pod{Namespace: namespace, Name: r.Name}
}
