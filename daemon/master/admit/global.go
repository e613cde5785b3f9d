// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
)

const defaultPvtSubnet = "172.19.0.0/16"

// Limits of the ranges.
const (
	maxVLANRange = 4095
	maxVNI       = 65535
	maxVNISpan   = 16000
)

func createGlobal(tx *commit.Tx, g *model.Global) error {
	fillGlobal(g, &model.Global{NetworkInfraType: "default", ArpMode: "proxy", PvtSubnet: defaultPvtSubnet, HostAccess: string(record.HostPrivate)})
	if err := checkRanges(g); err != nil {
		return err
	}
	return putGlobal(tx, g)
}

func updateGlobal(tx *commit.Tx, old, g *model.Global) error {
	fillGlobal(g, old)
	if err := checkRanges(g); err != nil {
		return err
	}
	inUse := tagsInUse(tx)
	if g.FwdMode != old.FwdMode && inUse != "" {
		return model.Errorf(model.CodeInUse, "fwdMode", "Unable to update forwarding mode due to existing %s", inUse).
			Try("delete all networks first")
	}
	if n := tx.Count(model.KindBgp()); g.FwdMode != old.FwdMode && old.FwdMode == "routing" && n > 0 {
		return model.Errorf(model.CodeInUse, "fwdMode", "Unable to update forwarding mode due to existing %d bgp routers", n).
			Try("delete them first: netctl bgp ls")
	}
	if g.PvtSubnet != old.PvtSubnet && inUse != "" && !(old.PvtSubnet == "" && g.PvtSubnet == defaultPvtSubnet) {
		return model.Errorf(model.CodeInUse, "pvtSubnet", "Unable to update private subnet due to existing %s", inUse).
			Try("delete all networks first")
	}
	if err := mayBeDirect(tx, g); err != nil {
		return err
	}
	for _, r := range []struct {
		field, text string
		pool        *ipam.Numbers
	}{{"vlans", g.Vlans, tx.Numbers().VLANs}, {"vxlans", g.Vxlans, tx.Numbers().VXLANs}} {
		if err := fitsInUse(r.pool, r.field, r.text); err != nil {
			return err
		}
	}
	return putGlobal(tx, g)
}

func removeGlobal(tx *commit.Tx, _ *model.Global) error {
	tx.Delete(record.GlobalKey)
	tx.Delete(record.GlobalMark)
	return nil
}

// fillGlobal keeps the fields that the request omits.
func fillGlobal(g, old *model.Global) {
	for _, f := range []struct{ new, old *string }{
		{&g.NetworkInfraType, &old.NetworkInfraType}, {&g.FwdMode, &old.FwdMode},
		{&g.ArpMode, &old.ArpMode}, {&g.PvtSubnet, &old.PvtSubnet}, {&g.HostAccess, &old.HostAccess}, {&g.Quarantine, &old.Quarantine},
	} {
		if *f.new == "" {
			*f.new = *f.old
		}
	}
}

// checkRanges checks the bounds of both ranges.
func checkRanges(g *model.Global) error {
	vlans, err := ipam.ParseNumberRange(g.Vlans)
	if err != nil || vlans.Min < 1 || vlans.Max > maxVLANRange || vlans.Min > vlans.Max {
		return model.Errorf(model.CodeInvalid, "vlans", "invalid vlan range %s", g.Vlans).Try("vlans takes one range within 1-%d", maxVLANRange)
	}
	vxlans, err := ipam.ParseNumberRange(g.Vxlans)
	if err != nil || vxlans.Min < 1 || vxlans.Max > maxVNI || vxlans.Min > vxlans.Max {
		return model.Errorf(model.CodeInvalid, "vxlans", "invalid vxlan range %s", g.Vxlans).Try("vxlans takes one range within 1-%d", maxVNI)
	}
	if vxlans.Max-vxlans.Min > maxVNISpan {
		return model.Errorf(model.CodeInvalid, "vxlans", "vxlan range %s is too wide", g.Vxlans).
			Try("the last number may exceed the first by at most %d", maxVNISpan)
	}
	return nil
}

// tagsInUse describes the tags in use, as "1 vlans and 2 vxlans"; "" if there are none.
func tagsInUse(tx *commit.Tx) string {
	var parts []string
	if n := tx.Numbers().VLANs.InUse(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d vlans", n))
	}
	if n := tx.Numbers().VXLANs.InUse(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d vxlans", n))
	}
	return strings.Join(parts, " and ")
}

// fitsInUse tries the new range on a copy of the pool, which itself follows the stored object.
func fitsInUse(pool *ipam.Numbers, field, text string) error {
	r, err := ipam.ParseNumberRange(text)
	if err != nil {
		return model.Errorf(model.CodeInvalid, field, "%v", err)
	}
	if err := pool.Clone().Resize(r.Min, r.Max); err != nil {
		return model.Errorf(model.CodeInUse, field, "cannot update the %s range: %v", strings.TrimSuffix(field, "s"), err).
			Try("choose a range that holds every number in use: %s", pool)
	}
	return nil
}

func putGlobal(tx *commit.Tx, g *model.Global) error {
	r := GlobalRecord(g)
	text, err := json.Marshal(r)
	if err != nil {
		return model.Errorf(model.CodeInternal, "", "encode %s: %v", record.GlobalKey, err).Because(err)
	}
	if err := tx.Put(record.GlobalKey, r); err != nil {
		return err
	}
	return tx.Put(record.GlobalMark, &record.Mark{ID: globalName, Sum: record.Sum(text)})
}

// GlobalRecord returns the record of the cluster's configuration, whose fields have been checked.
func GlobalRecord(g *model.Global) *record.Global {
	private, _ := netip.ParsePrefix(g.PvtSubnet)
	return &record.Global{InfraType: g.NetworkInfraType, FwdMode: record.FwdMode(g.FwdMode), ArpMode: record.ArpMode(g.ArpMode), PvtSubnet: private,
		HostAccess: record.HostAccess(g.HostAccess), Quarantine: g.Quarantine}
}
