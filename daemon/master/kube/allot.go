// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/ownership"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// balancerClass is the load balancer class of services whose addresses come only from here. Services without a class are also served; those of
// other classes belong to other controllers.
const balancerClass = ownership.BalancerClass

// balanced reports whether a service gets its addresses from here.
func balanced(s *record.KubernetesService) bool {
	return s != nil && s.Type == record.ServiceLoadBalancer && (s.LoadBalancerClass == "" || s.LoadBalancerClass == balancerClass)
}

// allot stores the addresses of a service of a tenant: its current ones as far as they match the request, others otherwise, and none if the
// service is not ours. byDefault is the network of services that name none; "": such a service gets nothing. It returns nil if the service
// has none; the error is what is missing, valid as long as that lasts.
func allot(tx *commit.Tx, id identity.KubernetesService, s *record.KubernetesService, tenant, byDefault string) (*record.LoadBalancer, error) {
	key, have := record.LoadBalancers+id.String(), tx.LoadBalancer(id)
	free := func() {
		if have != nil {
			tx.Delete(key)
		}
	}
	if !balanced(s) {
		free()
		return nil, nil
	}
	n, err := networkOf(tx.View, s, tenant, byDefault)
	if err != nil {
		free()
		return nil, err
	}
	want := &record.LoadBalancer{ID: id, Network: n.Record.ID}
	for _, six := range []bool{false, true} {
		a, err := balancerAddress(tx, n, s, have, six)
		if err != nil {
			free()
			return nil, err
		}
		if a.IsValid() {
			want.Addresses = append(want.Addresses, a)
		}
	}
	switch asked := s.LoadBalancerIP; {
	case asked.IsValid() && !slices.Contains(want.Addresses, asked):
		free()
		return nil, model.Errorf(model.CodeInvalid, "loadBalancerIP", "the service and network %s do not both have addresses of the family of %s", n.Record.ID, asked).
			Try("leave loadBalancerIP out, or name another network by the annotation %s", record.PlaceNetwork)
	case len(want.Addresses) == 0:
		free()
		return nil, model.Errorf(model.CodeInvalid, record.PlaceNetwork, "network %s has no addresses of the families of the service", n.Record.ID).
			Try("annotate it with %s=NAME of a network that has", record.PlaceNetwork)
	case have != nil && have.Network == want.Network && slices.Equal(have.Addresses, want.Addresses):
		return have, nil
	}
	return want, tx.Put(key, want)
}

// networkOf returns the network in a service's annotation, else the one that contains the requested address, else the default one.
func networkOf(v *catalog.View, s *record.KubernetesService, tenant, byDefault string) (*catalog.Network, error) {
	name := s.Place.Network
	if t := s.Place.Tenant; t != "" && t != tenant {
		return nil, model.Errorf(model.CodeInvalid, record.PlaceTenant, "the service is of tenant %s, as its namespace is, and names tenant %s", tenant, t).
			Try("remove its annotation %s, or change that of the namespace", record.PlaceTenant)
	}
	if asked := s.LoadBalancerIP; name == "" && asked.IsValid() {
		for _, n := range v.Networks(tenant) {
			if n.Covers(asked) {
				return n, nil
			}
		}
	}
	if name == "" {
		name = byDefault
	}
	if name == "" {
		return nil, model.Errorf(model.CodeInvalid, record.PlaceNetwork, "the service names no network for its address, and there is no default").
			Try("annotate it with %s=NAME, or start netmaster with --load-balancer-network", record.PlaceNetwork)
	}
	id := identity.Network{Tenant: tenant, Name: name}
	if n := v.Network(id); n != nil {
		return n, nil
	}
	return nil, model.Errorf(model.CodeNotFound, record.PlaceNetwork, "network %s not found", id).
		Try("create it with netctl network create --tenant %s --subnet ADDRESS/LENGTH %s", tenant, name)
}

// balancerAddress returns a service's address of one family in a network: the requested one, the current one, or a free one; invalid if the service
// or the network has no addresses of the family.
func balancerAddress(tx *commit.Tx, n *catalog.Network, s *record.KubernetesService, have *record.LoadBalancer, six bool) (netip.Addr, error) {
	of := func(a netip.Addr) bool { return a.Is6() == six }
	if six && !n.Gives6() || !six && !n.Gives4() || !slices.ContainsFunc(s.ClusterIPs, of) {
		return netip.Addr{}, nil
	}
	var had netip.Addr
	if have != nil && have.Network == n.Record.ID {
		if i := slices.IndexFunc(have.Addresses, of); i >= 0 {
			had = have.Addresses[i]
		}
	}
	switch asked := s.LoadBalancerIP; {
	case asked.IsValid() && of(asked):
		return asked, available(tx, n, asked, had)
	case had.IsValid() && n.Contains(had):
		return had, nil
	case six:
		return nextBalanced(tx, n, n.Next6, of)
	}
	own, _ := n.Pool4()
	return nextBalanced(tx, n, func() (netip.Addr, error) { return n.Next4(identity.Group{}) }, own.Contains)
}

// available returns why a service cannot have the requested address.
func available(tx *commit.Tx, n *catalog.Network, asked, had netip.Addr) error {
	if asked == had {
		return nil
	}
	if h, held := tx.HoldOf(n.Record.ID, asked); held && h.Quarantine == catalog.QuarantineReleased {
		tx.EndHold(n.Record.ID, asked)
	}
	if err := n.Check(identity.Group{}, asked); err != nil {
		return n.Unavailable("loadBalancerIP", asked, err)
	}
	return nil
}

// nextBalanced returns a free address, or the one that has been longest in quarantine after its release if there is no other.
func nextBalanced(tx *commit.Tx, n *catalog.Network, first func() (netip.Addr, error), within func(netip.Addr) bool) (netip.Addr, error) {
	a, err := first()
	if err == nil {
		return a, nil
	}
	if a, ok := tx.EndOldestQuarantine(n, within); ok {
		return a, nil
	}
	return a, n.Exhausted(n.Record.ID.String(), err)
}
