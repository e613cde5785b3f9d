// SPDX-License-Identifier: Apache-2.0

package kubeview

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// headless is the type shown for a service that has only names.
const headless = "Headless"

// Service returns a service, of the tenant that the caller knows, with the number of backends of its slices.
func Service(s *record.KubernetesService, slices []*record.EndpointSlice, tenant string) *model.KubeService {
	o := &model.KubeService{Namespace: s.ID.Namespace, Name: s.ID.Name, Tenant: tenant, Type: string(s.Type), Addresses: texts(s.ClusterIPs),
		ExternalAddresses: texts(s.ExternalIPs, s.LoadBalancerIPs), Options: options(s)}
	switch {
	case s.Headless:
		o.Type = headless
	case s.ExternalName != "":
		o.Addresses = []string{s.ExternalName}
	}
	for _, p := range s.Ports {
		o.Ports = append(o.Ports, servicePort(p))
	}
	o.Ready, o.Draining, o.NotReady = counts(slices)
	o.Key = o.ObjectKey()
	return o
}

func texts(lists ...[]netip.Addr) (out []string) {
	for _, a := range slices.Concat(lists...) {
		out = append(out, a.String())
	}
	return out
}

// servicePort is "tcp 80 (http), node port 30080".
func servicePort(p record.ServicePort) string {
	text := fmt.Sprintf("%s %d", protocol(p.Protocol), p.Port)
	if p.Name != "" {
		text += " (" + p.Name + ")"
	}
	if p.NodePort != 0 {
		text += fmt.Sprintf(", node port %d", p.NodePort)
	}
	return text
}

// options returns what a service requests beside addresses and ports, by the names of the fields in Kubernetes.
func options(s *record.KubernetesService) (out []string) {
	add := func(asked bool, format string, args ...any) {
		if asked {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(s.AffinitySeconds > 0, "sessionAffinity: ClientIP, %d s", s.AffinitySeconds)
	add(s.InternalLocal, "internalTrafficPolicy: Local")
	add(s.ExternalLocal, "externalTrafficPolicy: Local")
	add(s.TrafficDistribution != "", "trafficDistribution: %s", s.TrafficDistribution)
	add(s.HealthCheckNodePort != 0, "healthCheckNodePort: %d", s.HealthCheckNodePort)
	add(s.PublishNotReady, "publishNotReadyAddresses")
	add(s.LoadBalancerClass != "", "loadBalancerClass: %s", s.LoadBalancerClass)
	if len(s.SourceRanges) > 0 {
		add(true, "loadBalancerSourceRanges: %s", prefixes(s.SourceRanges))
	}
	return out
}

// backend identifies a backend of a service, whatever addresses and ports it has there.
type backend struct {
	pod     identity.Pod
	address netip.Addr // if it is no pod
}

// counts returns the number of backends in each state. One with several addresses has the best of their states.
func counts(list []*record.EndpointSlice) (ready, draining, notReady int) {
	best := map[backend]int{}
	for _, s := range list {
		for i := range s.Endpoints {
			e := &s.Endpoints[i]
			b := backend{pod: e.Pod}
			if e.Pod.IsZero() {
				b.address = e.Address
			}
			rank := slices.Index(states(), e.State)
			if was, known := best[b]; !known || rank < was {
				best[b] = rank
			}
		}
	}
	var n [3]int
	for _, rank := range best {
		n[rank]++
	}
	return n[0], n[1], n[2]
}

// states are those of backends, the best first.
func states() []record.EndpointState {
	return []record.EndpointState{record.EndpointReady, record.EndpointDraining, record.EndpointNotReady}
}

// Backends lists the backends of a service, a line for each address, in order: "10.1.0.3 tcp 8080, ready, pod shop/web-1, node h1".
func Backends(list []*record.EndpointSlice) (out []string) {
	type line struct {
		address netip.Addr
		text    string
	}
	var lines []line
	for _, s := range list {
		var ports []string
		for _, p := range s.Ports {
			ports = append(ports, fmt.Sprintf("%s %d", protocol(p.Protocol), p.Port))
		}
		for i := range s.Endpoints {
			e := &s.Endpoints[i]
			words := []string{strings.TrimSpace(e.Address.String() + " " + strings.Join(ports, " ")), stateText(e)}
			if !e.Pod.IsZero() {
				words = append(words, "pod "+e.Pod.Path())
			}
			if e.Node != "" {
				words = append(words, "node "+e.Node)
			}
			lines = append(lines, line{e.Address, strings.Join(words, ", ")})
		}
	}
	slices.SortFunc(lines, func(a, b line) int {
		if c := a.address.Compare(b.address); c != 0 {
			return c
		}
		return strings.Compare(a.text, b.text)
	})
	for _, l := range lines {
		out = append(out, l.text)
	}
	return out
}

func stateText(e *record.SliceEndpoint) string {
	if e.Lost {
		return "not ready: another has the address"
	}
	switch e.State {
	case record.EndpointDraining:
		return "draining"
	case record.EndpointNotReady:
		return "not ready"
	}
	return "ready"
}

// Pods are the pods among the backends of a service, "namespace/name", each once and in order.
func Pods(list []*record.EndpointSlice) (out []string) {
	for _, s := range list {
		for i := range s.Endpoints {
			if pod := s.Endpoints[i].Pod; !pod.IsZero() {
				out = append(out, pod.Path())
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
