// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Network is the default network of pods. It is created once, at the first start with Kubernetes, and not again after an operator has
// deleted it.
type Network struct {
	ID      identity.Network
	Subnets []netip.Prefix // one of IPv4, and optionally one of IPv6; none: no network is created
	// Admit creates an object.
	Admit interface {
		Put(tx *commit.Tx, o model.Object) error
	}
}

// startedKey is the store key that records the first start.
const startedKey = record.Root + "kubernetes/started"

// started is its value.
type started struct {
	Network identity.Network `json:"network,omitzero"` // that was created
}

// make creates the network, unless there was an earlier start; false: retry.
func (n Network) make(ctx context.Context, e *Engine) bool {
	if len(n.Subnets) == 0 {
		return true
	}
	_, err := e.Commit.Do(commit.Own(ctx, "the first start with Kubernetes"), func(tx *commit.Tx) error {
		if tx.Value(startedKey) != nil {
			return nil
		}
		if tx.Network(n.ID) != nil {
			return tx.Put(startedKey, started{})
		}
		if err := n.Admit.Put(tx, n.object()); err != nil {
			return err
		}
		return tx.Put(startedKey, started{n.ID})
	})
	if err != nil && ctx.Err() == nil {
		e.Log.Warn("cannot create the default network of pods; retrying", "network", n.ID, "retry", e.Pause, "error", err)
	}
	return err == nil
}

// object returns the network as an operator would create it, with the first addresses as gateways.
func (n Network) object() *model.Network {
	o := &model.Network{TenantName: n.ID.Tenant, NetworkName: n.ID.Name, Encap: string(record.VXLAN)}
	for _, s := range n.Subnets {
		gateway := s.Masked().Addr().Next().String()
		if s.Addr().Is4() {
			o.Subnet, o.Gateway = s.String(), gateway
		} else {
			o.Ipv6Subnet, o.Ipv6Gateway = s.String(), gateway
		}
	}
	o.SetKey(o.ObjectKey())
	o.SetDefaults()
	return o
}

// Subnets parses a list of subnets, at most one per family.
func Subnets(texts []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, t := range texts {
		p, err := netip.ParsePrefix(strings.TrimSpace(t))
		if err != nil || p != p.Masked() || p.Addr().Is4In6() {
			return nil, fmt.Errorf("%q is not the prefix of a subnet, such as 10.1.0.0/16 or fd01::/64", t)
		}
		for _, o := range out {
			if o.Addr().Is4() == p.Addr().Is4() {
				return nil, fmt.Errorf("%s and %s are of one family; one subnet of each is taken", o, p)
			}
		}
		out = append(out, p)
	}
	if len(out) > 0 && !out[0].Addr().Is4() && len(out) == 1 {
		return nil, fmt.Errorf("%s is of IPv6; name one of IPv4 too", out[0])
	}
	return out, nil
}
