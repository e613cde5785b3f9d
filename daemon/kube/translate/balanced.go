// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/daemon/record"
)

// BalancerCondition is the condition in a service's status that reports whether it has the addresses of its load balancer from us.
const BalancerCondition = "contiv.io/LoadBalancer"

// AddressCondition is the condition in a service's status that exists, and is false, while the service does not have addresses that it
// names.
const AddressCondition = "contiv.io/ExternalAddresses"

// PartsCondition is the condition in a service's status that exists, and is false, while parts of the service are not carried out.
const PartsCondition = "contiv.io/Implemented"

// Balanced is a service, as stored, with the status of its load balancer.
type Balanced struct {
	*record.KubernetesService
	UID      string        `json:"-"`
	Revision string        `json:"-"` // resourceVersion
	Status   BalancerState `json:"-"`
}

// BalancerState is the status of a service's load balancer. Its zero value means that nothing was ever reported.
type BalancerState struct {
	Addresses []netip.Addr // in order
	Foreign   bool         // there are entries other than plain addresses: host names, or addresses of a proxy
	Reported  bool         // our condition exists
	Given     bool         // and states that the service has what it requests
	Reason    string       // in one word
	Message   string
	Refused   string // the text of AddressCondition: which addresses the service does not have, and why; "": there is none
	Unread    string // the text of PartsCondition: which parts of the service are not carried out, and why; "": there is none
}

// Equal reports whether two states are equal.
func (s *BalancerState) Equal(o *BalancerState) bool {
	return slices.Equal(s.Addresses, o.Addresses) && s.Foreign == o.Foreign && s.Reported == o.Reported && s.Given == o.Given && s.Reason == o.Reason && s.Message == o.Message && s.Refused == o.Refused && s.Unread == o.Unread
}

// BalancedService is a service with the state of its load balancer, nil for a service that another proxy implements.
func BalancedService(s *corev1.Service) *Balanced {
	r := Service(s)
	if r == nil {
		return nil
	}
	out := &Balanced{KubernetesService: r, UID: string(s.UID), Revision: s.ResourceVersion}
	var texts []string
	for _, i := range s.Status.LoadBalancer.Ingress {
		if i.Hostname != "" || i.IPMode != nil && *i.IPMode != corev1.LoadBalancerIPModeVIP {
			out.Status.Foreign = true
			continue
		}
		texts = append(texts, i.IP)
	}
	out.Status.Addresses = addresses(texts...)
	for i := range s.Status.Conditions {
		switch c := &s.Status.Conditions[i]; c.Type {
		case AddressCondition:
			out.Status.Refused = c.Message
		case PartsCondition:
			out.Status.Unread = c.Message
		case BalancerCondition:
			out.Status.Reported, out.Status.Given, out.Status.Reason, out.Status.Message = true, c.Status == metav1.ConditionTrue, c.Reason, c.Message
		}
	}
	return out
}
