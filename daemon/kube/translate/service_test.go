// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Each part of a service that is not carried out is named, with what happens instead.
func TestService_Unread(t *testing.T) {
	timeout := func(seconds int32) *corev1.SessionAffinityConfig {
		return &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: &seconds}}
	}
	near, strange := corev1.ServiceTrafficDistributionPreferClose, "PreferMoon\x1b"
	for _, row := range []struct {
		name string
		spec corev1.ServiceSpec
		want string
	}{
		{"everything is carried out", corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}, SessionAffinity: corev1.ServiceAffinityClientIP,
			SessionAffinityConfig: timeout(65535), TrafficDistribution: &near, LoadBalancerSourceRanges: []string{"10.0.0.0/8"}}, ""},
		{"a protocol", corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}, {Port: 81, Protocol: "DCCP"}}}, `spec.ports[1]: protocol "DCCP" is none of TCP, UDP and SCTP: clients do not reach the port`},
		{"a type", corev1.ServiceSpec{Type: "Mesh"}, `spec.type: "Mesh" is unknown: the service is treated as ClusterIP`},
		{"an affinity", corev1.ServiceSpec{SessionAffinity: "Cookie"}, `spec.sessionAffinity: "Cookie" is unknown: clients are not remembered`},
		{"a long affinity", corev1.ServiceSpec{SessionAffinity: corev1.ServiceAffinityClientIP, SessionAffinityConfig: timeout(86400)},
			"spec.sessionAffinityConfig.clientIP.timeoutSeconds: got 86400, want at most 65535: clients are remembered for 65535 s"},
		{"a distribution", corev1.ServiceSpec{TrafficDistribution: &strange}, `spec.trafficDistribution: "PreferMoon\x1b" is unknown: clients reach any backend`},
		{"a range", corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, LoadBalancerSourceRanges: []string{"10.0.0.0"}}, `spec.loadBalancerSourceRanges[0]: "10.0.0.0" is not the prefix of a network: its clients are refused`},
	} {
		got := Service(&corev1.Service{Spec: row.spec}).Unread
		if strings.Join(got, "\n") != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}
