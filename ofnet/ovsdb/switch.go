package ovsdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
)

// Switch is one bridge of an Open vSwitch and its ports. All methods are safe for concurrent use and may be repeated:
// what is there already stays as it is.
type Switch struct {
	db     *Client
	name   string
	joined joiner
	wanted wanted
}

// NewSwitch returns the bridge of that name; Ensure makes it exist.
func NewSwitch(db *Client, name string) *Switch {
	s := &Switch{db: db, name: name, wanted: wanted{ports: map[string]wantedPort{}}}
	s.joined.commit, s.joined.settle = s.commit, s.settle
	return s
}

// Name is the bridge's name.
func (s *Switch) Name() string { return s.name }

// BridgeSpec is the desired configuration of a bridge.
type BridgeSpec struct {
	DatapathType string           // "netdev" or "system"
	DatapathID   uint64           // fixed, or a new port could change it and cost the OpenFlow connection
	MAC          net.HardwareAddr // of the local port, fixed for the same reason
	Protocols    []string         // "OpenFlow13", ...
	ExternalIDs  map[string]string
}

// Ensure makes the bridge exist as spec says, closed (fail_mode=secure) until it has flows, and waits until
// ovs-vswitchd has made it. External ids and other settings that spec does not name stay.
func (s *Switch) Ensure(ctx context.Context, spec BridgeSpec) error {
	var ops []Op
	dpid := fmt.Sprintf("%016x", spec.DatapathID)
	s.db.View(func(t *Tables) {
		_, have, ok := t.Bridge(s.name)
		if !ok {
			have = &BridgeRow{}
		}
		config := merged(have.OtherConfig, map[string]string{"datapath-id": dpid, "hwaddr": spec.MAC.String()})
		ids := merged(have.ExternalIDs, spec.ExternalIDs)
		protocols := Set{}
		for _, p := range spec.Protocols {
			protocols = append(protocols, p)
		}
		row := Row{"name": s.name, "datapath_type": spec.DatapathType, "fail_mode": "secure", "protocols": protocols,
			"other_config": Map(config), "external_ids": Map(ids)}
		switch {
		case !ok:
			row["ports"] = Set{Named("local_port")}
			ops = []Op{
				Guard("Bridge", []string{"name"}, nil, Is("name", s.name)),
				Insert("Interface", "local_if", Row{"name": s.name, "type": "internal"}),
				Insert("Port", "local_port", Row{"name": s.name, "interfaces": Set{Named("local_if")}}),
				Insert("Bridge", "bridge", row),
				Mutate("Open_vSwitch", "bridges", "insert", Set{Named("bridge")}),
			}
		case have.DatapathType != spec.DatapathType || have.FailMode != "secure" ||
			!sameStrings(have.Protocols, spec.Protocols) ||
			!maps.Equal(have.OtherConfig, config) || !maps.Equal(have.ExternalIDs, ids):
			delete(row, "name")
			ops = []Op{s.guard(), Update("Bridge", row, Is("name", s.name))}
		}
	})
	if ops != nil {
		if _, err := s.db.Transact(ctx, ops...); err != nil {
			return fmt.Errorf("make bridge %s: %w", s.name, err)
		}
	}
	err := s.db.Await(ctx, func(t *Tables) (bool, error) {
		_, b, ok := t.Bridge(s.name)
		return ok && strings.EqualFold(b.DatapathID, dpid), nil
	})
	if err != nil {
		return fmt.Errorf("wait until ovs-vswitchd has made bridge %s with datapath type %s (is it running? does it know the type?): %w",
			s.name, spec.DatapathType, err)
	}
	return nil
}

// guard makes a transaction fail when the bridge is gone; a change of an absent row would pass unnoticed.
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

// explain turns a failed guard into what it means.
func (s *Switch) explain(err error) error {
	if errors.Is(err, ErrWaitFailed) {
		return fmt.Errorf("%w: %s", ErrNoBridge, s.name)
	}
	return err
}

// DatapathType is the type of the bridge as it is, "" when there is no bridge.
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

func sameStrings(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
