package record

import (
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/identity"
)

// LoadBalancers is where the addresses are that services of Kubernetes have of networks. Agents do not read them: they hear of the addresses
// by the services' status.
const LoadBalancers = Pools + "kubernetes/service/"

// LoadBalancer is the addresses of a service of Kubernetes of type LoadBalancer, at LoadBalancers+ID. It owns them.
type LoadBalancer struct {
	ID        identity.KubernetesService `json:"id"`
	Network   identity.Network           `json:"network"`
	Addresses []netip.Addr               `json:"addresses"` // in order, one of a family at most
}

// Name is what people call the service, "namespace/name".
func (l *LoadBalancer) Name() string { return l.ID.Namespace + "/" + l.ID.Name }

// UnmarshalJSON reads what is stored.
func (l *LoadBalancer) UnmarshalJSON(text []byte) error {
	type plain LoadBalancer
	var t plain
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	if t.Network.IsZero() || len(t.Addresses) == 0 {
		return fmt.Errorf("it names no network, or no address")
	}
	if err := canonical("addresses", t.Addresses...); err != nil {
		return err
	}
	*l = LoadBalancer(t)
	return nil
}
