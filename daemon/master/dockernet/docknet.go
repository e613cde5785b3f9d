// SPDX-License-Identifier: Apache-2.0

// Package dockernet maps the networks of Docker engines to Contiv's: it finds the network and group for a new Docker network, keeps the
// mapping as a record, and creates the network if there is none.
package dockernet

import (
	"context"
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Service maps the networks of Docker engines. Its requests may be repeated.
type Service struct {
	commit  *commit.Committer
	admit   *admit.Admitter
	catalog *catalog.Catalog
}

// New returns a Service.
func New(c *commit.Committer, a *admit.Admitter, known *catalog.Catalog) *Service {
	return &Service{c, a, known}
}

// Pool returns the pools of addresses for a new Docker network.
func (s *Service) Pool(q model.DockerPoolRequest) (out model.DockerPoolResponse, err error) {
	w, err := wishOf(q.Options)
	if err != nil {
		return out, err
	}
	subnet, err := subnetOf("Pool", q.Pool)
	if err != nil {
		return out, err
	}
	if q.SubPool != "" && q.SubPool != q.Pool {
		return out, model.Errorf(model.CodeUnsupported, "SubPool", "a Docker network cannot have addresses of only %s", q.SubPool).
			Try("leave --ip-range out, and make a group with such a pool: netctl group create --ip-pool FIRST-LAST NETWORK GROUP")
	}
	s.catalog.View(func(v *catalog.View) {
		var f found
		if f, err = w.find(v, subnet); err != nil {
			return
		}
		var p identity.Pool
		if p, err = f.pool(subnet, q.V6); err == nil {
			out = model.DockerPoolResponse{PoolID: p.String(), Pool: p.Subnet.String(), Gateway: f.gateway(q.V6), Exists: f.network != nil}
		}
	})
	return out, err
}

// Create stores the mapping of a Docker network, and creates its network if there is none.
func (s *Service) Create(ctx context.Context, q model.DockerNetworkRequest) (made record.DockerNetwork, rev uint64, err error) {
	if q.ID == "" {
		return made, 0, model.Errorf(model.CodeInvalid, "ID", "the Docker network has no id")
	}
	w, err := wishOf(q.Options)
	if err != nil {
		return made, 0, err
	}
	subnets, err := poolsOf(q.Pools)
	if err != nil {
		return made, 0, err
	}
	at, err := s.commit.InTurn(ctx, func(tx *commit.Tx) (err error) {
		made, err = s.create(tx, q, w, subnets)
		return err
	})
	return made, uint64(at), err
}

func (s *Service) create(tx *commit.Tx, q model.DockerNetworkRequest, w wish, subnets []netip.Prefix) (record.DockerNetwork, error) {
	first, err := subnetFor(subnets, false)
	if err != nil {
		return record.DockerNetwork{}, err
	}
	if known := tx.DockerNetwork(q.ID); known != nil {
		if !known.Gone {
			return *known, nil
		}
		back := *known
		back.Gone = false
		return back, tx.Put(record.DockerNetworks+q.ID, &back)
	}
	if w, err = w.with(tx.View, q.Requested); err != nil {
		return record.DockerNetwork{}, err
	}
	f, err := w.find(tx.View, first)
	if err != nil {
		return record.DockerNetwork{}, err
	}
	d := record.DockerNetwork{ID: q.ID, Network: f.id, Group: f.group, Host: q.Host, Pools: subnets, Managed: w.managed, Internal: q.Internal}
	if f.network == nil {
		n := w.made(f.id, q)
		if d.Made, d.Network = true, n.Identity(); tx.Network(d.Network) != nil {
			return d, model.Errorf(model.CodeConflict, "NetworkID", "there is a network %s, which is not of this Docker network", d.Network)
		}
		if err := s.admit.Put(tx, n); err != nil {
			return d, err
		}
	} else if err := f.has(subnets); err != nil {
		return d, err
	}
	return d, tx.Put(record.DockerNetworks+d.ID, &d)
}

// Forget deletes the networks of the engine of a host that is permanently gone.
func (s *Service) Forget(ctx context.Context, host string) (rev uint64, err error) {
	var left []string
	s.catalog.View(func(v *catalog.View) {
		for _, d := range v.DockerNetworksAt(host) {
			left = append(left, d.ID)
		}
	})
	for _, id := range left {
		done, err := s.Delete(ctx, model.DockerNetworkRemoval{ID: id, Host: host})
		if err != nil {
			return rev, err
		}
		rev = max(rev, done)
	}
	return rev, nil
}
