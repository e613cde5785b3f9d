// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"cmp"
	"context"
	"fmt"
)

// IDMadeFor is the external id of a row of table Datapath that this package created: the name of the bridge that needed it.
const IDMadeFor = "contiv-bridge"

// Capabilities returns what a datapath of the bridge's type supports, from table Datapath (ovs-vswitchd.conf.db(5)). ovs-vswitchd fills
// in rows that exist, so Capabilities creates the row if there is none. The bridge must exist. It blocks until ovs-vswitchd has filled
// the row in, or ctx ends.
func (s *Switch) Capabilities(ctx context.Context) (out map[string]string, err error) {
	kind := s.DatapathType()
	there := false
	s.db.View(func(t *Tables) { there = t.datapath(kind) != nil })
	if !there {
		const row = Named("datapath")
		add := Op{"op": "mutate", "table": "Open_vSwitch", "where": where(nil),
			"mutations": []any{[]any{"datapaths", "insert", [2]any{"map", [][2]any{{kind, row}}}}}}
		if _, err := s.db.Transact(ctx, Insert("Datapath", row, Row{"datapath_version": "", "external_ids": Map(map[string]string{IDMadeFor: s.name})}), add); err != nil {
			return nil, fmt.Errorf("ask ovs-vswitchd what datapath %s can do: %w", kind, err)
		}
	}
	err = s.db.Await(ctx, func(t *Tables) (bool, error) {
		if d := t.datapath(kind); d != nil {
			out = d.Capabilities
		}
		return len(out) > 0, nil
	})
	if err != nil {
		return nil, fmt.Errorf("wait until ovs-vswitchd lists the capabilities of datapath %s (is it running?): %w", kind, err)
	}
	return out, nil
}

// RemoveDatapath removes the row of table Datapath that Capabilities created for this bridge. It returns why a row that this bridge
// created stays, "" if none stays: another bridge has that type, or someone has put time-out policies of conntrack into the row. Rows of
// others are not touched.
func (s *Switch) RemoveDatapath(ctx context.Context) (stays string, err error) {
	for _, kind := range []string{"system", "netdev"} {
		var mine UUID
		s.db.View(func(t *Tables) {
			d := t.datapath(kind)
			if d == nil || d.ExternalIDs[IDMadeFor] != s.name {
				return
			}
			if other := t.bridgeOf(kind, s.name); other != "" {
				stays = fmt.Sprintf("bridge %s has datapath type %s too", other, kind)
				return
			}
			if len(d.Zones) > 0 {
				stays = fmt.Sprintf("datapath %s has time-out policies of conntrack zones", kind)
				return
			}
			root, _ := t.Root()
			mine = root.Datapaths[kind]
		})
		if mine == "" {
			continue
		}
		ops := []Op{Guard("Datapath", []string{"ct_zones"}, []Row{{"ct_zones": Map(nil)}}, Is("_uuid", mine)),
			{"op": "mutate", "table": "Open_vSwitch", "where": where(nil), "mutations": []any{[]any{"datapaths", "delete", Set{kind}}}}}
		if _, err := s.db.Transact(ctx, ops...); err != nil {
			return "", fmt.Errorf("remove the row of datapath %s from Open vSwitch's database: %w", kind, err)
		}
	}
	return stays, nil
}

// bridgeOf returns the name of a bridge with a datapath type other than the bridge of that name, "" if there is none. A bridge without a
// type has the kernel's (ovs-vswitchd.conf.db(5)).
func (t *Tables) bridgeOf(kind, but string) string {
	for _, b := range t.bridges.rows {
		if b.Name != but && cmp.Or(b.DatapathType, "system") == kind {
			return b.Name
		}
	}
	return ""
}
