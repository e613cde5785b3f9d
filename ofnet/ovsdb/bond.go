// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bond makes a port one of several interfaces (ovs-vswitchd.conf.db(5), "Bonding Configuration"). Each interface keeps an
// OpenFlow number of its own.
type Bond struct {
	Mode    string            // bond_mode
	LACP    string            // "active", "passive" or "off"
	Config  map[string]string // of other_config; others may add their own
	Members []PortSpec        // plain ones, by the names of their devices
}

// LACPSpec is a port that negotiates link aggregation with the physical switch (IEEE 802.1AX): it is active, and requests LACPDUs each
// second, so that silence is detected in 3 s. If the other side does not support LACP, the members stay usable (lacp-fallback-ab). The mode
// is how Open vSwitch's own learning switch would spread; flows choose members themselves.
func LACPSpec(name string, members ...PortSpec) PortSpec {
	return PortSpec{Name: name, ExternalIDs: map[string]string{IDEndpoint: FixedPort}, Bond: &Bond{Mode: "balance-tcp", LACP: "active",
		Config: map[string]string{"lacp-time": "fast", "lacp-fallback-ab": "true"}, Members: members}}
}

// Interfaces are the specs of the port's interfaces: its own, or those of the bond's members.
func (p *PortSpec) Interfaces() []PortSpec {
	if p.Bond == nil {
		return []PortSpec{*p}
	}
	return p.Bond.Members
}

// Bonds maps interfaces that are members of a port of another name to that port. It does not block.
func (s *Switch) Bonds() map[string]string {
	out := map[string]string{}
	s.db.View(func(t *Tables) {
		for _, p := range t.ports.rows {
			for _, name := range t.interfaceNames(p) {
				if name != p.Name {
					out[name] = p.Name
				}
			}
		}
	})
	return out
}

// interfaceNames returns the names of the port's interfaces, sorted.
func (t *Tables) interfaceNames(p *PortRow) []string {
	var out []string
	for _, id := range p.Interfaces {
		if r := t.interfaces.rows[id]; r != nil {
			out = append(out, r.Name)
		}
	}
	slices.Sort(out)
	return out
}

// memberNames returns the names of the bond's members, sorted.
func (b *Bond) memberNames() []string {
	var out []string
	for i := range b.Members {
		out = append(out, b.Members[i].Name)
	}
	slices.Sort(out)
	return out
}

func (b *Bond) same(other *Bond) bool {
	if b == nil || other == nil {
		return b == other
	}
	return b.Mode == other.Mode && b.LACP == other.LACP && maps.Equal(b.Config, other.Config) &&
		slices.EqualFunc(b.Members, other.Members, func(x, y PortSpec) bool { return x.Name == y.Name && same(&x, &y) })
}

// met reports whether the port row matches the bond, except for the settings of its interfaces.
func (b *Bond) met(t *Tables, have *PortRow) bool {
	return have.BondMode == b.Mode && have.LACP == b.LACP && maps.Equal(have.OtherConfig, merged(have.OtherConfig, b.Config)) &&
		slices.Equal(t.interfaceNames(have), b.memberNames())
}

// bondOps returns the operations that apply the bond of a change. made is the row of a new port, and plain are ports of single members to
// be removed. n is the change's place in its transaction.
func bondOps(t *Tables, c *change, n int) (ops []Op, made Set, plain Set, err error) {
	bond, members := c.add.Bond, Set{}
	for i := range bond.Members {
		m := &bond.Members[i]
		id, have, ok := t.Interface(m.Name)
		if !ok {
			row, name := m.row(), Named(fmt.Sprintf("i%d_%d", n, i))
			row["name"] = m.Name
			ops = append(ops, Insert("Interface", name, row))
			members = append(members, name)
			continue
		}
		if owner := have.ExternalIDs[IDEndpoint]; !c.force && owner != "" && owner != m.ExternalIDs[IDEndpoint] {
			return nil, nil, nil, errTaken(m.Name, owner)
		}
		if port, _, alone := t.Port(m.Name); alone {
			plain = append(plain, port)
		}
		if !m.met(have) {
			ops = append(ops, Update("Interface", m.row(), Is("name", m.Name)))
		}
		members = append(members, id)
	}
	row := Row{"interfaces": members, "bond_mode": bond.Mode, "lacp": bond.LACP, "other_config": Map(bond.Config)}
	_, port, exists := t.Port(c.name)
	switch {
	case !exists:
		name := Named(fmt.Sprintf("p%d", n))
		row["name"] = c.name
		return append(ops, Insert("Port", name, row)), Set{name}, plain, nil
	case port.restricted() || !bond.met(t, port):
		row["tag"], row["trunks"], row["vlan_mode"] = Set{}, Set{}, Set{}
		row["other_config"] = Map(merged(port.OtherConfig, bond.Config))
		ops = append(ops, Update("Port", row, Is("name", c.name)))
	}
	return ops, nil, plain, nil
}

// drift compares the bond with its port.
func (b *Bond) drift(t *Tables, port *PortRow, setting func(name, was, want string)) {
	setting("interfaces", strings.Join(t.interfaceNames(port), ","), strings.Join(b.memberNames(), ","))
	setting("bond_mode", port.BondMode, b.Mode)
	setting("lacp", port.LACP, b.LACP)
	for _, k := range slices.Sorted(maps.Keys(b.Config)) {
		setting("other_config:"+k, port.OtherConfig[k], b.Config[k])
	}
	for i := range b.Members {
		m := &b.Members[i]
		if _, have, ok := t.Interface(m.Name); ok {
			m.driftOfInterface(have, func(name, was, want string) { setting(m.Name+":"+name, was, want) })
		}
	}
}
