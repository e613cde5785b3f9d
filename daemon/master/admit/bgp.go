// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"encoding/json"
	"errors"
	"strings"

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
	r := &record.BGP{ID: b.Hostname, Hostname: b.Hostname, RouterIP: b.Routerip, RouterIP6: b.Routerip6, AS: b.As,
		NeighborAS: b.NeighborAs, Neighbor: b.Neighbor,
		Hops: b.TtlSecurity, Prefixes: b.MaxPrefixes, Password: b.Password}
	if r.Password == "" {
		var was record.BGP
		// else there is no record that an agent could read
		if err := json.Unmarshal(tx.Value(record.BGPs+b.Hostname), &was); err == nil {
			r.Password = was.Password
		}
	}
	b.Password = "" // the object is shown, the record is not
	if err := checkBgp(r); err != nil {
		return err
	}
	if err := ownAddresses(tx, b); err != nil {
		return err
	}
	return tx.Put(record.BGPs+b.Hostname, r)
}

// checkBgp refuses what the host's agent could not read. A record that the original accepts is accepted with any text for an AS; the agent
// reports the error.
func checkBgp(r *record.BGP) error {
	if r.RouterIP6 == "" && r.Password == "" && !strings.Contains(r.Neighbor+r.NeighborAS, ",") {
		return nil
	}
	_, err := r.Routing()
	var wrong *record.BGPError
	if !errors.As(err, &wrong) {
		return nil
	}
	return model.Errorf(model.CodeInvalid, wrong.Field, "%s", wrong.Given()).Try("want %s", wrong.Want)
}

func updateBgp(tx *commit.Tx, _, b *model.Bgp) error { return createBgp(tx, b) }

func removeBgp(tx *commit.Tx, b *model.Bgp) error {
	tx.Delete(record.BGPs + b.Hostname)
	return nil
}
