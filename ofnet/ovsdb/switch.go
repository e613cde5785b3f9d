// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
)

// Switch is one bridge of an Open vSwitch and its ports. All methods are safe for concurrent use and may be repeated: what exists stays
// unchanged.
type Switch struct {
	db     *Client
	name   string
	joined joiner
	wanted wanted
	bridge atomic.Pointer[BridgeSpec] // the desired one; nil before Ensure
}

// NewSwitch returns the bridge of that name; Ensure makes it exist.
func NewSwitch(db *Client, name string) *Switch {
	s := &Switch{db: db, name: name, wanted: wanted{ports: map[string]wantedPort{}}}
	s.joined.commit, s.joined.resolve = s.commit, s.waitAttached
	return s
}

// Name is the bridge's name.
func (s *Switch) Name() string { return s.name }

// guard makes a transaction fail if the bridge is gone; a change of a missing row would pass unnoticed.
func (s *Switch) guard() Op {
	return Guard("Bridge", []string{"name"}, []Row{{"name": s.name}}, Is("name", s.name))
}

// SetFlowTables names the bridge's OpenFlow tables, so that ovs-ofctl --names prints the names.
func (s *Switch) SetFlowTables(ctx context.Context, names map[uint8]string) error {
	same := false
	s.db.View(func(t *Tables) {
		_, b, ok := t.Bridge(s.name)
		have := map[uint8]string{}
		if ok {
			for id, row := range b.FlowTables {
				have[uint8(id)] = t.FlowTableName(row)
			}
		}
		same = ok && maps.Equal(have, names)
	})
	if same {
		return nil
	}
	ops := []Op{s.guard()}
	pairs := [][2]any{}
	for _, id := range slices.Sorted(maps.Keys(names)) {
		row := Named(fmt.Sprintf("table_%d", id))
		ops = append(ops, Insert("Flow_Table", row, Row{"name": names[id]}))
		pairs = append(pairs, [2]any{id, row})
	}
	ops = append(ops, Update("Bridge", Row{"flow_tables": [2]any{"map", pairs}}, Is("name", s.name)))
	if _, err := s.db.Transact(ctx, ops...); err != nil {
		return fmt.Errorf("name the flow tables of bridge %s: %w", s.name, s.explain(err))
	}
	return nil
}

// explain turns a failed guard into its meaning.
func (s *Switch) explain(err error) error {
	if errors.Is(err, ErrWaitFailed) {
		return fmt.Errorf("%w: %s", ErrNoBridge, s.name)
	}
	return err
}

// DatapathType returns the actual type of the bridge, "" if there is no bridge.
func (s *Switch) DatapathType() string {
	var out string
	s.db.View(func(t *Tables) {
		if _, b, ok := t.Bridge(s.name); ok {
			out = b.DatapathType
		}
	})
	return out
}

func merged(have, want map[string]string) map[string]string {
	out := maps.Clone(have)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, want)
	return out
}
