// SPDX-License-Identifier: Apache-2.0

package dockernet

import (
	"context"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Name names a network that was created for a Docker network without a name, and therefore has Docker's id as its name: engines do not pass
// the name to network drivers. The network is recreated under that name, so it must have no endpoints and no dependents. A network with a
// name keeps it.
func (s *Service) Name(ctx context.Context, q model.DockerNetworkName) (rev uint64, err error) {
	at, err := s.commit.InTurn(ctx, func(tx *commit.Tx) error { return s.name(tx, q) })
	return uint64(at), err
}

func (s *Service) name(tx *commit.Tx, q model.DockerNetworkName) error {
	d := tx.DockerNetwork(q.ID)
	if d == nil || d.Host != q.Host {
		return model.Errorf(model.CodeNotFound, "ID", "the Docker engine of host %s has no network %s", q.Host, q.ID)
	}
	if !d.Nameless() {
		return nil
	}
	to := identity.Network{Tenant: d.Network.Tenant, Name: record.DockerNetworkName(q.Name)}
	stored, _ := tx.Stored(model.KindNetwork(), model.Key(d.Network.Tenant, d.Network.Name)).(*model.Network)
	switch {
	case to.Name == "":
		return model.Errorf(model.CodeInvalid, "Name", "got %q, want a name with a letter or digit", q.Name)
	case stored == nil:
		return model.Errorf(model.CodeNotFound, "ID", "network %s is gone", d.Network)
	case tx.Network(to) != nil || tx.Group(identity.Group(to)) != nil:
		return model.Errorf(model.CodeConflict, "Name", "tenant %s has a network or group %s already, so network %s keeps its name", to.Tenant, to.Name, d.Network)
	case len(tx.EndpointsOf(tx.Network(d.Network))) > 0:
		return model.Errorf(model.CodeInUse, "ID", "network %s has endpoints, so it keeps its name", d.Network)
	case slices.ContainsFunc(tx.DockerNetworksOf(d.Network), func(o *record.DockerNetwork) bool { return !o.Managed && o.ID != d.ID }):
		return model.Errorf(model.CodeInUse, "ID", "another Docker network uses network %s, so it keeps its name", d.Network)
	}
	tx.Delete(record.DockerNetworks + d.ID) // it would keep the network
	if err := s.admit.Remove(tx, model.KindNetwork(), stored.ObjectKey()); err != nil {
		return err
	}
	named := *stored
	named.NetworkName, named.Key, named.Links, named.LinkSets = to.Name, "", model.NetworkLinks{}, model.NetworkLinkSets{}
	if err := s.admit.Put(tx, &named); err != nil {
		return err
	}
	moved := *d
	moved.Network = to
	return tx.Put(record.DockerNetworks+d.ID, &moved)
}
