// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/sanitize"
)

// labelProxy means that another proxy implements a service.
const labelProxy = "service.kubernetes.io/service-proxy-name"

// Service is the record of a service, nil for one that another proxy implements.
func Service(s *corev1.Service) *record.KubernetesService {
	if _, other := s.Labels[labelProxy]; other {
		return nil
	}
	out := &record.KubernetesService{ID: identity.KubernetesService{Namespace: s.Namespace, Name: s.Name}, Type: serviceType(s.Spec.Type),
		Selector: len(s.Spec.Selector) > 0, PublishNotReady: s.Spec.PublishNotReadyAddresses, Place: record.PlaceOf(s.Annotations)}
	if out.Type == record.ServiceExternalName {
		out.ExternalName = s.Spec.ExternalName
		return out
	}
	for i, p := range s.Spec.Ports {
		of, err := protocol(p.Protocol)
		if err != nil {
			out.Unread = append(out.Unread, fmt.Sprintf("spec.ports[%d]: %v: clients do not reach the port", i, err))
			continue
		}
		if n := number(p.Port); n != 0 {
			out.Ports = append(out.Ports, record.ServicePort{Name: p.Name, Protocol: of, Port: n, NodePort: number(p.NodePort)})
		}
	}
	ips := s.Spec.ClusterIPs
	if len(ips) == 0 {
		ips = []string{s.Spec.ClusterIP}
	}
	out.Headless = slices.Contains(ips, corev1.ClusterIPNone)
	out.ClusterIPs, out.ExternalIPs = addresses(ips...), addresses(s.Spec.ExternalIPs...)
	balance(out, s)
	distribute(out, &s.Spec)
	out.Unread = append(out.Unread, unread(&s.Spec)...)
	return out
}

// longestAffinity is the longest time for which a switch remembers the backend of a client.
const longestAffinity = 65535

// unread returns the parts of a service, besides its ports, that are not carried out, and what happens instead.
func unread(s *corev1.ServiceSpec) (out []string) {
	switch s.Type {
	case "", corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeExternalName:
	default:
		out = append(out, fmt.Sprintf("spec.type: %q is unknown: the service is treated as ClusterIP", s.Type))
	}
	switch s.SessionAffinity {
	case "", corev1.ServiceAffinityNone:
	case corev1.ServiceAffinityClientIP:
		if c := s.SessionAffinityConfig; c != nil && c.ClientIP != nil && c.ClientIP.TimeoutSeconds != nil && *c.ClientIP.TimeoutSeconds > longestAffinity {
			out = append(out, fmt.Sprintf("spec.sessionAffinityConfig.clientIP.timeoutSeconds: got %d, want at most %d: clients are remembered for %d s", *c.ClientIP.TimeoutSeconds, longestAffinity, longestAffinity))
		}
	default:
		out = append(out, fmt.Sprintf("spec.sessionAffinity: %q is unknown: clients are not remembered", s.SessionAffinity))
	}
	if t := s.TrafficDistribution; t != nil && !slices.Contains([]string{corev1.ServiceTrafficDistributionPreferClose, "PreferSameZone", "PreferSameNode"}, *t) {
		out = append(out, fmt.Sprintf("spec.trafficDistribution: %q is unknown: clients reach any backend", *t))
	}
	if s.Type == corev1.ServiceTypeLoadBalancer {
		for i, text := range s.LoadBalancerSourceRanges {
			if _, err := prefix(text); err != nil {
				out = append(out, fmt.Sprintf("spec.loadBalancerSourceRanges[%d]: %v: its clients are refused", i, err))
			}
		}
	}
	for i := range out {
		out[i] = sanitize.Line(out[i], longReason)
	}
	return out
}

// longReason bounds the text about a part of a service, in bytes.
const longReason = 300

// serviceType is a service's type, ClusterIP for an unknown one: that much can be implemented.
func serviceType(t corev1.ServiceType) record.ServiceType {
	switch t {
	case corev1.ServiceTypeNodePort:
		return record.ServiceNodePort
	case corev1.ServiceTypeLoadBalancer:
		return record.ServiceLoadBalancer
	case corev1.ServiceTypeExternalName:
		return record.ServiceExternalName
	}
	return record.ServiceClusterIP
}

// balance fills in the fields about load balancers.
func balance(out *record.KubernetesService, s *corev1.Service) {
	if out.Type != record.ServiceLoadBalancer {
		return
	}
	var texts []string
	for _, i := range s.Status.LoadBalancer.Ingress {
		if i.IPMode == nil || *i.IPMode == corev1.LoadBalancerIPModeVIP {
			texts = append(texts, i.IP)
		}
	}
	out.LoadBalancerIPs = addresses(texts...)
	if asked := addresses(s.Spec.LoadBalancerIP); len(asked) > 0 {
		out.LoadBalancerIP = asked[0]
	}
	if s.Spec.LoadBalancerClass != nil {
		out.LoadBalancerClass = *s.Spec.LoadBalancerClass
	}
	for _, text := range s.Spec.LoadBalancerSourceRanges {
		if p, err := prefix(text); err == nil {
			out.SourceRanges = append(out.SourceRanges, p)
		}
	}
	if len(s.Spec.LoadBalancerSourceRanges) > 0 && len(out.SourceRanges) == 0 { // no client, and not any client
		out.SourceRanges = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/32"), netip.MustParsePrefix("::/128")}
	}
}

// distribute fills in the selection of backends.
func distribute(out *record.KubernetesService, s *corev1.ServiceSpec) {
	if s.SessionAffinity == corev1.ServiceAffinityClientIP {
		out.AffinitySeconds = int(corev1.DefaultClientIPServiceAffinitySeconds)
		if c := s.SessionAffinityConfig; c != nil && c.ClientIP != nil && c.ClientIP.TimeoutSeconds != nil && *c.ClientIP.TimeoutSeconds > 0 {
			out.AffinitySeconds = int(*c.ClientIP.TimeoutSeconds)
		}
	}
	out.InternalLocal = s.InternalTrafficPolicy != nil && *s.InternalTrafficPolicy == corev1.ServiceInternalTrafficPolicyLocal
	if s.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal {
		out.ExternalLocal, out.HealthCheckNodePort = true, number(s.HealthCheckNodePort)
	}
	if s.TrafficDistribution != nil {
		out.TrafficDistribution = *s.TrafficDistribution
	}
}
