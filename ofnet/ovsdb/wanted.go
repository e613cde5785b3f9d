// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// youth is the age below which a wish is not compared: the monitor's data may be older.
const youth = time.Second

// wanted are the desired ports of the Switch.
type wanted struct {
	mu    sync.Mutex
	ports map[string]wantedPort
}

type wantedPort struct {
	spec  PortSpec
	since time.Time
}

func (w *wanted) add(spec PortSpec) {
	spec.Device = nil // the device exists now
	w.mu.Lock()
	defer w.mu.Unlock()
	if old, ok := w.ports[spec.Name]; ok && same(&old.spec, &spec) {
		return
	}
	w.ports[spec.Name] = wantedPort{spec, time.Now()}
}

func same(a, b *PortSpec) bool {
	return a.Type == b.Type && a.OFPort == b.OFPort && a.MAC.String() == b.MAC.String() && maps.Equal(a.Options, b.Options) &&
		maps.Equal(a.ExternalIDs, b.ExternalIDs) && a.Bond.same(b.Bond)
}

func (w *wanted) remove(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.ports, name)
}

func (w *wanted) list() []wantedPort {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]wantedPort, 0, len(w.ports))
	for _, name := range slices.Sorted(maps.Keys(w.ports)) {
		out = append(out, w.ports[name])
	}
	return out
}

// Wants reports whether a port of that name should exist: it was added, or adopted, and not removed since.
func (s *Switch) Wants(name string) bool {
	s.wanted.mu.Lock()
	defer s.wanted.mu.Unlock()
	_, ok := s.wanted.ports[name]
	return ok
}

// Adopt registers the ports that have the external id key as desired, as needed by a process whose predecessor has added them. They should
// be plain ports of a device, with the requested number.
func (s *Switch) Adopt(key string) {
	for _, p := range s.Ports(key, "") {
		if p.Type == "" {
			s.wanted.add(PortSpec{Name: p.Name, OFPort: p.Requested, ExternalIDs: p.ExternalIDs})
		}
	}
}

// PortDrift is a port that differs from the desired one.
type PortDrift struct {
	Name      string
	Endpoint  string   // external id IDEndpoint that it should have
	Gone      bool     // the port does not exist
	Was, Want []string // the settings that differ, "tag=7"; if Gone, only Want
}

// Drift lists the ports that others have changed or removed, by name. It skips ports that were added within the last second. It compares
// with the last update from Open vSwitch and does not block.
func (s *Switch) Drift() (out []PortDrift) {
	now := time.Now()
	list := s.wanted.list()
	s.db.View(func(t *Tables) {
		for i := range list {
			if w := &list[i]; now.Sub(w.since) >= youth {
				if d, differs := w.spec.drift(t); differs {
					out = append(out, d)
				}
			}
		}
	})
	return out
}

// drift compares the port with the database.
func (p *PortSpec) drift(t *Tables) (d PortDrift, differs bool) {
	d = PortDrift{Name: p.Name, Endpoint: p.ExternalIDs[IDEndpoint]}
	_, port, ok := t.Port(p.Name)
	_, have, known := t.Interface(p.Name)
	switch {
	case p.Bond != nil && !ok:
		d.Want = []string{"interfaces=" + strings.Join(p.Bond.memberNames(), ",")}
	case p.Bond == nil && (!ok || !known):
		d.Want = []string{fmt.Sprintf("type=%s", p.Type), fmt.Sprintf("ofport_request=%d", p.OFPort)}
	}
	if d.Want != nil {
		d.Gone = true
		return d, true
	}
	setting := func(name, was, want string) {
		if was != want {
			d.Was, d.Want = append(d.Was, name+"="+was), append(d.Want, name+"="+want)
		}
	}
	setting("tag", strings.Join(port.Tag, ","), "")
	setting("trunks", strings.Join(port.Trunks, ","), "")
	setting("vlan_mode", port.VLANMode, "")
	if p.Bond != nil {
		p.Bond.drift(t, port, setting)
	} else {
		p.driftOfInterface(have, setting)
	}
	return d, len(d.Want) > 0
}

// driftOfInterface compares the settings of one interface.
func (p *PortSpec) driftOfInterface(have *InterfaceRow, setting func(name, was, want string)) {
	setting("type", have.Type, p.Type)
	if p.OFPort != 0 {
		setting("ofport_request", fmt.Sprint(have.OFPortRequest), fmt.Sprint(p.OFPort))
	}
	for _, k := range slices.Sorted(maps.Keys(merged(have.Options, p.Options))) {
		setting("options:"+k, have.Options[k], p.Options[k])
	}
	for _, k := range slices.Sorted(maps.Keys(p.ExternalIDs)) { // others may add their own
		setting("external_ids:"+k, have.ExternalIDs[k], p.ExternalIDs[k])
	}
}

// Repair restores a port that Drift has named, regardless of the owner that it names, and returns when the database has it. It ignores a
// port that is no longer desired.
func (s *Switch) Repair(ctx context.Context, name string) error {
	s.wanted.mu.Lock()
	w, ok := s.wanted.ports[name]
	s.wanted.mu.Unlock()
	if !ok {
		return nil
	}
	if err := s.joined.do(ctx, change{name: name, add: &w.spec, force: true}); err != nil {
		return fmt.Errorf("repair port %s: %w", name, err)
	}
	if !s.Wants(name) {
		// It was removed meanwhile, perhaps in the same turn.
		return s.RemovePort(ctx, name)
	}
	return nil
}
