// SPDX-License-Identifier: Apache-2.0

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

// secure makes a bridge forward nothing by itself, with or without a controller (fail_mode of ovs-vswitchd.conf.db(5)).
const secure = "secure"

// BridgeSpec is the desired configuration of a bridge.
type BridgeSpec struct {
	DatapathType string           // "netdev" or "system"
	DatapathID   uint64           // fixed; otherwise a new port could change it and end the OpenFlow connection
	MAC          net.HardwareAddr // of the local port, fixed for the same reason
	Protocols    []string         // "OpenFlow13", ...
	ExternalIDs  map[string]string
}

// config is the minimum of other_config.
func (b *BridgeSpec) config() map[string]string {
	return map[string]string{"datapath-id": fmt.Sprintf("%016x", b.DatapathID), "hwaddr": b.MAC.String()}
}

// BridgeDrift is the difference between a bridge and the last specification of Ensure.
type BridgeDrift struct {
	Gone      bool     // the bridge does not exist
	Open      bool     // fail_mode is not secure: without flows, it forwards everything to everyone
	Was, Want []string // the settings that differ, "fail_mode=secure"; if Gone, only Want
}

// BridgeDrift returns how others have changed the bridge; differs is false if they have not, and before Ensure. It compares with the last
// update from Open vSwitch and does not block.
func (s *Switch) BridgeDrift() (d BridgeDrift, differs bool) {
	spec := s.bridge.Load()
	if spec == nil {
		return d, false
	}
	s.db.View(func(t *Tables) { d, differs = spec.drift(t, s.name) })
	return d, differs
}

// drift compares the bridge with the database.
func (b *BridgeSpec) drift(t *Tables, name string) (d BridgeDrift, differs bool) {
	_, have, ok := t.Bridge(name)
	if !ok {
		return BridgeDrift{Gone: true, Want: []string{"datapath_type=" + b.DatapathType, "fail_mode=" + secure}}, true
	}
	setting := func(name, was, want string) {
		if was != want {
			d.Was, d.Want = append(d.Was, name+"="+was), append(d.Want, name+"="+want)
		}
	}
	list := func(all []string) string { return strings.Join(slices.Sorted(slices.Values(all)), ",") }
	setting("datapath_type", have.DatapathType, b.DatapathType)
	setting("fail_mode", have.FailMode, secure)
	setting("protocols", list(have.Protocols), list(b.Protocols))
	controllers := ""
	if n := len(have.Controllers); n > 0 {
		controllers = fmt.Sprint(n)
	}
	setting("controllers", controllers, "")
	for _, of := range []struct {
		column     string
		have, want map[string]string // others may add their own
	}{{"other_config", have.OtherConfig, b.config()}, {"external_ids", have.ExternalIDs, b.ExternalIDs}} {
		for _, k := range slices.Sorted(maps.Keys(of.want)) {
			setting(of.column+":"+k, of.have[k], of.want[k])
		}
	}
	d.Open = have.FailMode != secure
	return d, len(d.Want) > 0
}

// EnsureRoot creates the one row of table Open_vSwitch, as ovs-vsctl init does, in a database that has none, such as an empty one that
// replaced a lost one. Without it ovs-vswitchd has no configuration, and the database deletes every bridge at once, since nothing refers to
// it. It blocks until the database has answered.
func (s *Switch) EnsureRoot(ctx context.Context) error {
	there := false
	s.db.View(func(t *Tables) { _, there = t.Root() })
	if there {
		return nil
	}
	_, err := s.db.Transact(ctx, Guard("Open_vSwitch", []string{"next_cfg"}, nil), Insert("Open_vSwitch", "root", Row{}))
	if err == nil || errors.Is(err, ErrWaitFailed) { // another client was first
		return nil
	}
	return fmt.Errorf("make the row of table Open_vSwitch: %w", err)
}

// Ensure makes the bridge exist as specified, closed (fail_mode=secure) until it has flows, without a controller, and waits until
// ovs-vswitchd has made it. External ids and other settings that spec does not name stay. From then on BridgeDrift compares with spec.
func (s *Switch) Ensure(ctx context.Context, spec BridgeSpec) error {
	s.bridge.Store(&spec)
	if err := s.EnsureRoot(ctx); err != nil {
		return err
	}
	var ops []Op
	s.db.View(func(t *Tables) {
		if _, differs := spec.drift(t, s.name); !differs {
			return
		}
		_, have, ok := t.Bridge(s.name)
		if !ok {
			have = &BridgeRow{}
		}
		protocols := Set{}
		for _, p := range spec.Protocols {
			protocols = append(protocols, p)
		}
		row := Row{"datapath_type": spec.DatapathType, "fail_mode": secure, "protocols": protocols, "controller": Set{},
			"other_config": Map(merged(have.OtherConfig, spec.config())), "external_ids": Map(merged(have.ExternalIDs, spec.ExternalIDs))}
		if ok {
			ops = []Op{s.guard(), Update("Bridge", row, Is("name", s.name))}
			return
		}
		row["name"], row["ports"] = s.name, Set{Named("local_port")}
		ops = []Op{
			Guard("Bridge", []string{"name"}, nil, Is("name", s.name)),
			Insert("Interface", "local_if", Row{"name": s.name, "type": "internal"}),
			Insert("Port", "local_port", Row{"name": s.name, "interfaces": Set{Named("local_if")}}),
			Insert("Bridge", "bridge", row),
			Mutate("Open_vSwitch", "bridges", "insert", Set{Named("bridge")}),
		}
	})
	if ops != nil {
		if _, err := s.db.Transact(ctx, ops...); err != nil {
			return fmt.Errorf("make bridge %s: %w", s.name, err)
		}
	}
	err := s.db.Await(ctx, func(t *Tables) (bool, error) {
		_, b, ok := t.Bridge(s.name)
		_, differs := spec.drift(t, s.name)
		return ok && !differs && strings.EqualFold(b.DatapathID, spec.config()["datapath-id"]), nil
	})
	if err != nil {
		return fmt.Errorf("wait until ovs-vswitchd has made bridge %s with datapath type %s (is it running? does it know the type?): %w",
			s.name, spec.DatapathType, err)
	}
	return nil
}
