// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"net/netip"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/record"
)

// The status of a service lists the addresses that it names and does not get, beside conditions of others, until the claim or its reason
// ends.
func TestRefusedAddresses(t *testing.T) {
	server := kubetest.Start(t)
	w := balancing(t, server)
	w.Admitted(t, record.Host{Label: "h1", Machine: "m1", VTEP: netip.MustParseAddr("192.0.2.1"), Port: 4789, Own: []netip.Prefix{netip.MustParsePrefix("198.51.100.1/24")}})
	s := balanced("s", func(s *corev1.Service) {
		s.Spec.Type, s.Spec.Ports[0].Port = corev1.ServiceTypeClusterIP, 22
		s.Spec.ExternalIPs = []string{"198.51.100.1", "203.0.113.9"}
		s.Status.Conditions = nil
	})
	server.Put(t, s)
	const kept = "False Refused: the service does not have addresses that it names: 198.51.100.1, tcp/22: it is an address of host h1, where port 22 is kept for hosts themselves"
	w.says(server, "s", kept)
	both := balanced("both", on("both"), func(s *corev1.Service) { s.Spec.ExternalIPs = []string{"10.5.0.2"} })
	server.Put(t, both)
	w.says(server, "both", "10.6.0.2 fd06::2 True Given: of network default:both False Refused: the service does not have addresses that it names: 10.5.0.2, tcp/80: it is in the subnet of network default:front")
	w.Must(t, "rm network front")
	w.says(server, "both", "10.6.0.2 fd06::2 True Given: of network default:both")
	now := server.Service("ns", "s")
	now.TypeMeta, now.Spec.ExternalIPs = s.TypeMeta, []string{"203.0.113.9"}
	server.Put(t, now)
	w.says(server, "s", "")
}

// The status of a service names the parts that are not carried out, as long as there are any.
func TestUnreadServices(t *testing.T) {
	server := kubetest.Start(t)
	w := balancing(t, server)
	seconds := int32(86400)
	s := balanced("s", func(s *corev1.Service) {
		s.Spec.Type, s.Status.Conditions = corev1.ServiceTypeClusterIP, nil
		s.Spec.SessionAffinity, s.Spec.SessionAffinityConfig = corev1.ServiceAffinityClientIP, &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: &seconds}}
	})
	server.Put(t, s)
	w.says(server, "s", "False NotImplemented: these parts are not carried out: spec.sessionAffinityConfig.clientIP.timeoutSeconds: got 86400, want at most 65535")
	now := server.Service("ns", "s")
	now.TypeMeta, now.Spec.SessionAffinityConfig = s.TypeMeta, nil
	server.Put(t, now)
	w.says(server, "s", "")
}
