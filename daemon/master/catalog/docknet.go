// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"iter"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// Networks of Docker engines by their Contiv network or group, and by their host.
var (
	dockerOfNetwork = table.By[string](func(d *record.DockerNetwork) identity.Network { return d.Network })
	dockerOfGroup   = table.By[string]((*record.DockerNetwork).Of)
	dockerOfHost    = table.By[string](func(d *record.DockerNetwork) string { return d.Host })
)

func dockerID(d *record.DockerNetwork) string { return d.ID }

// DockerNetwork returns the record of a network id of a Docker engine, nil if it is unknown.
func (v *View) DockerNetwork(id string) *record.DockerNetwork { return v.dockerNetworks.Get(id) }

// DockerNetworks returns the networks of all Docker engines, ordered by id.
func (v *View) DockerNetworks() []*record.DockerNetwork {
	return dockerSorted(v.dockerNetworks.Values())
}

// DockerNetworksOf returns the Docker networks of a network and of its groups, ordered by id.
func (v *View) DockerNetworksOf(id identity.Network) []*record.DockerNetwork {
	return dockerSorted(dockerOfNetwork.In(&v.dockerNetworks, id).Values())
}

// DockerNetworksIn returns the Docker networks of a group, ordered by id.
func (v *View) DockerNetworksIn(id identity.Group) []*record.DockerNetwork {
	return dockerSorted(dockerOfGroup.In(&v.dockerNetworks, id).Values())
}

// DockerNetworksAt returns the Docker networks of a host's engine, ordered by id.
func (v *View) DockerNetworksAt(host string) []*record.DockerNetwork {
	return dockerSorted(dockerOfHost.In(&v.dockerNetworks, host).Values())
}

func dockerSorted(rows iter.Seq[*record.DockerNetwork]) []*record.DockerNetwork {
	return sortedBy(rows, dockerID)
}
