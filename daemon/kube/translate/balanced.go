package translate

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/daemon/record"
)

// BalancerCondition is the condition in a service's status that says whether it has the addresses of its load balancer from us.
const BalancerCondition = "contiv.io/LoadBalancer"

// AddressCondition is the condition in a service's status that is there, and false, while the service does not have addresses that it names.
const AddressCondition = "contiv.io/ExternalAddresses"

// Balanced is a service, as it is stored, with what its status says of its load balancer.
type Balanced struct {
	*record.KubernetesService
	UID      string        `json:"-"`
	Revision string        `json:"-"` // resourceVersion
	Status   BalancerState `json:"-"`
}

// BalancerState is what a service's status says of its load balancer. Its zero value is that nothing was ever said.
type BalancerState struct {
	Addresses []netip.Addr // in order
	Foreign   bool         // there are entries that are no plain addresses: host names, or addresses of a proxy
	Reported  bool         // there is our condition
	Given     bool         // which says that the service has what it asks for
	Reason    string       // in one word
	Message   string
	Refused   string // what AddressCondition says: which addresses the service does not have, and why; "": there is none
}

// Equal says whether two states say the same.
func (s *BalancerState) Equal(o *BalancerState) bool {
	return slices.Equal(s.Addresses, o.Addresses) && s.Foreign == o.Foreign && s.Reported == o.Reported && s.Given == o.Given && s.Reason == o.Reason && s.Message == o.Message && s.Refused == o.Refused
}

// BalancedService is a service with the state of its load balancer, nil of a service that another proxy carries out.
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
		case BalancerCondition:
			out.Status.Reported, out.Status.Given, out.Status.Reason, out.Status.Message = true, c.Status == metav1.ConditionTrue, c.Reason, c.Message
		}
	}
	return out
}
