// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Backends is how many a service has.
const Backends = 5

// ClusterIP is that of service i.
func ClusterIP(i int) netip.Addr { return netip.AddrFrom4([4]byte{172, 30, byte(i >> 8), byte(i)}) }

func (c Crowd) serviceName(i int) string { return fmt.Sprintf("s%d", i) }

// Service is service i, of one port.
func (c Crowd) Service(i int) *corev1.Service {
	s, ip, policy := &corev1.Service{}, ClusterIP(i).String(), corev1.ServiceInternalTrafficPolicyCluster
	s.TypeMeta, s.ObjectMeta = meta("Service", "v1", c.namespaceOf(i), c.serviceName(i))
	s.Spec = corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, ClusterIP: ip, ClusterIPs: []string{ip}, IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol},
		InternalTrafficPolicy: &policy, Selector: map[string]string{"app": fmt.Sprintf("app%d", i/c.Namespaces%apps)}, SessionAffinity: corev1.ServiceAffinityNone,
		Ports: []corev1.ServicePort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, TargetPort: intstr.FromInt32(80)}}}
	return s
}

// Slice is the EndpointSlice of service i, whose backends are pods that follow each other, from pod first.
func (c Crowd) Slice(i, first int) *discoveryv1.EndpointSlice {
	s, yes, no, name, tcp, port := &discoveryv1.EndpointSlice{AddressType: discoveryv1.AddressTypeIPv4}, true, false, "http", corev1.ProtocolTCP, int32(80)
	s.TypeMeta, s.ObjectMeta = meta("EndpointSlice", "discovery.k8s.io/v1", c.namespaceOf(i), c.serviceName(i)+"-x7z2q")
	s.Labels = map[string]string{discoveryv1.LabelServiceName: c.serviceName(i), discoveryv1.LabelManagedBy: "endpointslice-controller.k8s.io"}
	s.Ports = []discoveryv1.EndpointPort{{Name: &name, Protocol: &tcp, Port: &port}}
	for n := range Backends {
		node := Host(c.HostOf(first + n))
		s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{Addresses: []string{c.Address(first + n).String()}, NodeName: &node,
			Conditions: discoveryv1.EndpointConditions{Ready: &yes, Serving: &yes, Terminating: &no}})
	}
	return s
}
