package catalog

import (
	"iter"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// Networks of Docker engines by what they stand for, and by whose they are.
var (
	dockerOfNetwork = table.By[string](func(d *record.DockerNetwork) identity.Network { return d.Network })
	dockerOfGroup   = table.By[string]((*record.DockerNetwork).Of)
	dockerOfHost    = table.By[string](func(d *record.DockerNetwork) string { return d.Host })
)

func dockerID(d *record.DockerNetwork) string { return d.ID }

// DockerNetwork returns what a network id of a Docker engine stands for, nil when that is not known.
func (v *View) DockerNetwork(id string) *record.DockerNetwork { return v.dockerNetworks.Get(id) }

// DockerNetworks returns the networks of all Docker engines, ordered by id.
func (v *View) DockerNetworks() []*record.DockerNetwork {
	return dockerSorted(v.dockerNetworks.Values())
}

// DockerNetworksOf returns those that stand for a network or for a group of it, ordered by id.
func (v *View) DockerNetworksOf(id identity.Network) []*record.DockerNetwork {
	return dockerSorted(dockerOfNetwork.In(&v.dockerNetworks, id).Values())
}

// DockerNetworksIn returns those that stand for a group, ordered by id.
func (v *View) DockerNetworksIn(id identity.Group) []*record.DockerNetwork {
	return dockerSorted(dockerOfGroup.In(&v.dockerNetworks, id).Values())
}

// DockerNetworksAt returns those of a host's engine, ordered by id.
func (v *View) DockerNetworksAt(host string) []*record.DockerNetwork {
	return dockerSorted(dockerOfHost.In(&v.dockerNetworks, host).Values())
}

func dockerSorted(rows iter.Seq[*record.DockerNetwork]) []*record.DockerNetwork {
	return sortedBy(rows, dockerID)
}
