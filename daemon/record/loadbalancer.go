// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/identity"
)

// LoadBalancers is the prefix of the addresses that services of Kubernetes have in networks. Agents do not read them: they receive the
// addresses by the services' status.
const LoadBalancers = Pools + "kubernetes/service/"

// LoadBalancer has the addresses of a service of Kubernetes of type LoadBalancer, at LoadBalancers+ID. It owns them.
type LoadBalancer struct {
	ID        identity.KubernetesService `json:"id"`
	Network   identity.Network           `json:"network"`
	Addresses []netip.Addr               `json:"addresses"` // in order, at most one per family
}

// Name is the name for display, "namespace/name".
func (l *LoadBalancer) Name() string { return l.ID.Path() }

// UnmarshalJSON decodes the stored form.
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
