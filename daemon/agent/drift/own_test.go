// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"context"
	"fmt"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

type kept []link.Drift

func (k kept) Drift() ([]link.Drift, error) { return k, nil }
func (k kept) Repair(name string) error     { return fmt.Errorf("repaired %s", name) }

// bridge is a switch whose bridge differs so; nil: it does not.
type bridge struct{ drift *ovsdb.BridgeDrift }

func (b bridge) BridgeDrift() (ovsdb.BridgeDrift, bool) {
	if b.drift == nil {
		return ovsdb.BridgeDrift{}, false
	}
	return *b.drift, true
}

func TestBridgeIsNamed(t *testing.T) {
	prepared := 0
	source := func(d *ovsdb.BridgeDrift) *Bridge {
		return &Bridge{Host: "h1", Name: "contiv0", Switch: bridge{d}, Prepare: func(context.Context) error { prepared++; return nil }}
	}
	for what, d := range map[string]*ovsdb.BridgeDrift{
		"":                        nil,
		"removed: bridge contiv0": {Gone: true, Want: []string{"fail_mode=secure"}},
		"changed: bridge contiv0, fail_mode, controllers": {Open: true, Was: []string{"fail_mode=", "controllers=1"}, Want: []string{"fail_mode=secure", "controllers="}},
	} {
		list, err := source(d).Differences()
		got := ""
		for _, x := range list {
			got += x.What
		}
		if err != nil || got != what {
			t.Errorf("want %q, got %q, %v", what, got, err)
		}
	}
	if err := source(nil).Repair(t.Context(), "contiv0"); err != nil || prepared != 1 {
		t.Errorf("repair: want it prepared once, got %d times, %v", prepared, err)
	}
}

func TestOwnThingsAreNamed(t *testing.T) {
	host := func(string) ofnet.Key { return ofnet.Key{Kind: ofnet.KindHost, Name: "h1"} }
	for _, row := range []struct {
		source    Source
		what      string
		was, want string
	}{
		{&Own{KindTable, "nftables table", host, kept{{Name: "inet contiv-guard", Gone: true, Want: []string{"all its rules"}}}},
			"removed: nftables table inet contiv-guard", "", "nftables table inet contiv-guard all its rules"},
		{&Own{KindTable, "nftables table", host, kept{{Name: "inet contiv-guard", Was: []string{"rules of others"}, Want: []string{"its own rules only"}}}},
			"changed: nftables table inet contiv-guard", "nftables table inet contiv-guard rules of others", "nftables table inet contiv-guard its own rules only"},
		{&Own{KindSetting, "setting", host, kept{{Name: "net.ipv4.ip_forward", Was: []string{"0"}, Want: []string{"1"}}}},
			"changed: setting net.ipv4.ip_forward", "setting net.ipv4.ip_forward 0", "setting net.ipv4.ip_forward 1"},
		{&Own{KindInterface, "interface", host, kept{{Name: "vv1", Was: []string{"group=0", "arp=on"}, Want: []string{"group=7", "arp=off"}}}},
			"changed: interface vv1, group, arp", "interface vv1 group=0 arp=on", "interface vv1 group=7 arp=off"},
	} {
		got, err := row.source.Differences()
		if err != nil || len(got) != 1 || got[0].What != row.what || got[0].Was != row.was || got[0].Want != row.want || got[0].Owner != "host/h1" {
			t.Errorf("want %q, was %q, want %q, got %+v, %v", row.what, row.was, row.want, got, err)
			continue
		}
		if err := row.source.Repair(context.Background(), got[0].Thing); err == nil || err.Error() != "repaired "+got[0].Thing {
			t.Errorf("repair of %s: got %v", got[0].Thing, err)
		}
	}
}
