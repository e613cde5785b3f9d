package admit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// fabricACI is the fabric mode in which the fabric routes.
const fabricACI = "aci"

func createBgp(tx *commit.Tx, b *model.Bgp) error {
	if g := tx.Global(); g != nil && g.InfraType == fabricACI {
		return model.Errorf(model.CodeUnsupported, "", "BGP is not supported in fabric mode %s", fabricACI).
			Try("the fabric routes; see netctl global set --fabric-mode")
	}
	return tx.Put(record.BGPs+b.Hostname, &record.BGP{
		ID: b.Hostname, Hostname: b.Hostname, RouterIP: b.Routerip, AS: b.As, NeighborAS: b.NeighborAs, Neighbor: b.Neighbor,
	})
}

func updateBgp(tx *commit.Tx, _, b *model.Bgp) error { return createBgp(tx, b) }

func removeBgp(tx *commit.Tx, b *model.Bgp) error {
	tx.Delete(record.BGPs + b.Hostname)
	return nil
}
