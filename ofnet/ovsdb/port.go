// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
)

// External ids of an endpoint's interface. They are all that an agent needs to know the endpoint after a restart.
const (
	IDEndpoint  = "contiv-endpoint"  // state id of the endpoint; every port of ours has it, fixed ports as "-"
	IDTenant    = "contiv-tenant"    // tenant name
	IDNetwork   = "contiv-network"   // network name
	IDGroup     = "contiv-group"     // group name, or absent
	IDContainer = "contiv-container" // container id
	IDIfName    = "contiv-ifname"    // name of the interface in the container
	IDNetns     = "contiv-netns"     // path of the container's network namespace
	IDOwner     = "contiv-owner"     // the requester of the port: "cni/NAME", "docker/NETWORK"
	IDAddresses = "contiv-addresses" // the endpoint's addresses, joined by commas; earlier builds wrote none
	IDMAC       = "contiv-mac"       // its MAC, as net.HardwareAddr prints it; earlier builds wrote none
	IDSince     = "contiv-since"     // when the endpoint was attached (RFC 3339), for a runtime that may report later that it no longer has it
	IDPublished = "contiv-published" // ports of the host that lead to it, in the form of link.JoinPortMappings, or absent
)

// FixedPort is the value of IDEndpoint for ports that belong to the switch itself.
const FixedPort = "-"

// PortSpec is the desired configuration of a port.
type PortSpec struct {
	Name        string
	Type        string // "" for an existing device, "internal", "vxlan"
	OFPort      uint32 // requested OpenFlow number, 1..65279; 0: any
	MAC         net.HardwareAddr
	Options     map[string]string
	ExternalIDs map[string]string
	Bond        *Bond // nil: one interface with the port's name; otherwise Type, OFPort, MAC and Options belong to the members

	// Device creates the interface of the port; nil: it exists. It is called just before the transaction that adds the port, in parallel
	// with those of the transaction's other ports, so that ovs-vswitchd receives all events at once.
	Device func() error
}

// TunnelSpec is the one VXLAN port of a switch; flows choose peer and VNI, and copy the TOS byte into the outer header. udp is the UDP
// destination port. The tunnel sends from local and ignores packets to other addresses of the host; with an invalid local the host's routes
// decide, and the tunnel receives packets to any address.
func TunnelSpec(name string, ofport uint32, udp int, local netip.Addr) PortSpec {
	options := map[string]string{"remote_ip": "flow", "key": "flow", "tos": "inherit", "dst_port": strconv.Itoa(udp)}
	if local.IsValid() {
		options["local_ip"] = local.String()
	}
	return PortSpec{Name: name, Type: "vxlan", OFPort: ofport, Options: options, ExternalIDs: map[string]string{IDEndpoint: FixedPort}}
}

// UplinkSpec is a NIC as a trunk.
func UplinkSpec(nic string, ofport uint32) PortSpec {
	return PortSpec{Name: nic, OFPort: ofport, ExternalIDs: map[string]string{IDEndpoint: FixedPort}}
}

// InternalSpec is a port that the host itself uses; its MAC is fixed.
func InternalSpec(name string, ofport uint32, mac net.HardwareAddr) PortSpec {
	return PortSpec{Name: name, Type: "internal", OFPort: ofport, MAC: mac,
		ExternalIDs: map[string]string{IDEndpoint: FixedPort}}
}

// Port is a port as Open vSwitch has it.
type Port struct {
	Name        string
	Type        string
	OFPort      uint32 // 0: not assigned (yet, or ever: see Error)
	Requested   uint32 // ofport_request, 0: none
	Error       string // why ovs-vswitchd could not attach it
	MAC         string
	Up          bool // it has a link
	ExternalIDs map[string]string
}

// refused reports whether ovs-vswitchd has given up the interface for now.
func (r *InterfaceRow) refused() bool { return r.OFPort < 0 && r.Error != "" }

func portOf(r *InterfaceRow) Port {
	p := Port{Name: r.Name, Type: r.Type, Error: r.Error, MAC: r.MAC, Up: r.LinkState == "up", ExternalIDs: r.ExternalIDs}
	if r.OFPort > 0 {
		p.OFPort = uint32(r.OFPort)
	}
	if r.OFPortRequest > 0 {
		p.Requested = uint32(r.OFPortRequest)
	}
	return p
}

// Port returns the port of that name, as of the last update from Open vSwitch. It does not block.
func (s *Switch) Port(name string) (Port, bool) {
	var out Port
	var ok bool
	s.db.View(func(t *Tables) {
		var r *InterfaceRow
		if _, r, ok = t.Interface(name); ok {
			out = portOf(r)
		}
	})
	return out, ok
}

// Ports returns all ports that have the external id key (with any value if value is ""), ordered by name. It does not block.
func (s *Switch) Ports(key, value string) []Port {
	var out []Port
	s.db.View(func(t *Tables) {
		for r := range t.Interfaces {
			if v, ok := r.ExternalIDs[key]; ok && (value == "" || v == value) {
				out = append(out, portOf(r))
			}
		}
	})
	slices.SortFunc(out, func(a, b Port) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out
}

// Devices returns the system's devices that are ports of any bridge of this Open vSwitch, except those of containers; sorted. It does not
// block.
func (s *Switch) Devices() []string {
	var out []string
	s.db.View(func(t *Tables) {
		for r := range t.Interfaces {
			if owner := r.ExternalIDs[IDEndpoint]; (r.Type == "" || r.Type == "system") && (owner == "" || owner == FixedPort) {
				out = append(out, r.Name)
			}
		}
	})
	slices.Sort(out)
	return out
}

// AddPort makes the port exist as specified and returns when the database has it; WaitPort waits for the switch. Calls that arrive while
// ovs-vswitchd is busy with the ports of a transaction share the next one. A port of that name that belongs to another endpoint is an
// error, and so is an error of spec.Device.
func (s *Switch) AddPort(ctx context.Context, spec PortSpec) error {
	if err := s.joined.do(ctx, change{name: spec.Name, add: &spec}); err != nil {
		return fmt.Errorf("add port %s: %w", spec.Name, err)
	}
	s.wanted.add(spec)
	return nil
}

// RemovePort removes the port from the database. It shares transactions as AddPort does, and is ordered after an AddPort of the same port
// whose caller has given up.
func (s *Switch) RemovePort(ctx context.Context, name string) error {
	s.wanted.remove(name)
	if err := s.joined.do(ctx, change{name: name}); err != nil {
		return fmt.Errorf("remove port %s: %w", name, err)
	}
	return nil
}

// WaitPort waits until ovs-vswitchd has given the port its OpenFlow number, or reported an error.
func (s *Switch) WaitPort(ctx context.Context, name string) (Port, error) {
	var out Port
	err := s.db.Await(ctx, func(t *Tables) (bool, error) {
		_, r, ok := t.Interface(name)
		if !ok {
			return false, nil
		}
		out = portOf(r)
		if r.refused() {
			return false, errors.New(r.Error)
		}
		return r.OFPort > 0, nil
	})
	if err != nil {
		return out, fmt.Errorf("wait until ovs-vswitchd attaches port %s: %w", name, err)
	}
	return out, nil
}

// waitAttached waits until ovs-vswitchd has attached or refused the ports that the changes added.
func (s *Switch) waitAttached(ctx context.Context, changes []change) {
	// The waiters of an overdue port report it.
	_ = s.db.Await(ctx, func(t *Tables) (bool, error) {
		for _, c := range changes {
			if c.add == nil {
				continue
			}
			for _, i := range c.add.Interfaces() {
				if _, r, ok := t.Interface(i.Name); ok && r.OFPort <= 0 && !r.refused() {
					return false, nil
				}
			}
		}
		return true, nil
	})
}

// EnsurePort is AddPort and WaitPort, for a port of one interface.
func (s *Switch) EnsurePort(ctx context.Context, spec PortSpec) (Port, error) {
	if err := s.AddPort(ctx, spec); err != nil {
		return Port{}, err
	}
	return s.WaitPort(ctx, spec.Name)
}

// change is one change of a joined transaction: a port to add, or to remove (add is nil).
type change struct {
	name  string
	add   *PortSpec
	force bool // regardless of the owner that the port names
}

// errTaken means that a port name is in use for something else.
func errTaken(name, owner string) error {
	return fmt.Errorf("port name %s is taken by endpoint %s", name, owner)
}

// commit carries out changes of different ports in one transaction.
func (s *Switch) commit(ctx context.Context, changes []change) error {
	ops := []Op{s.guard()}
	var added, gone Set
	var taken error
	s.db.View(func(t *Tables) {
		for i, c := range changes {
			id, port, exists := t.Port(c.name)
			switch {
			case c.add == nil && exists:
				gone = append(gone, id)
			case c.add == nil:
			case c.add.Bond != nil:
				more, made, plain, err := bondOps(t, &c, i)
				if err != nil {
					taken = err
					return
				}
				ops, added, gone = append(ops, more...), append(added, made...), append(gone, plain...)
			case !exists:
				iface, made := Named(fmt.Sprintf("i%d", i)), Named(fmt.Sprintf("p%d", i))
				row := c.add.row()
				row["name"] = c.name
				ops = append(ops, Insert("Interface", iface, row),
					Insert("Port", made, Row{"name": c.name, "interfaces": Set{iface}}))
				added = append(added, made)
			default:
				_, have, ok := t.Interface(c.name)
				if !c.force && ok && have.ExternalIDs[IDEndpoint] != "" && have.ExternalIDs[IDEndpoint] != c.add.ExternalIDs[IDEndpoint] {
					taken = errTaken(c.name, have.ExternalIDs[IDEndpoint])
					return
				}
				if !ok || !c.add.met(have) {
					ops = append(ops, Update("Interface", c.add.row(), Is("name", c.name)))
				}
				if port.restricted() {
					ops = append(ops, Update("Port", Row{"tag": Set{}, "trunks": Set{}, "vlan_mode": Set{}}, Is("name", c.name)))
				}
			}
		}
	})
	if taken != nil {
		return taken
	}
	if added != nil {
		ops = append(ops, Mutate("Bridge", "ports", "insert", added, Is("name", s.name)))
	}
	if gone != nil {
		ops = append(ops, Mutate("Bridge", "ports", "delete", gone, Is("name", s.name)))
	}
	if len(ops) == 1 {
		return nil
	}
	_, err := s.db.Transact(ctx, ops...)
	return s.explain(err)
}

// row is the Interface row of a new port, without its name.
func (p *PortSpec) row() Row {
	r := Row{"type": p.Type, "options": Map(p.Options), "external_ids": Map(p.ExternalIDs)}
	if p.OFPort != 0 {
		r["ofport_request"] = p.OFPort
	}
	if p.MAC != nil {
		r["mac"] = p.MAC.String()
	}
	return r
}

// restricted reports whether the switch itself adds or removes tags at the port. Ours are trunks for all: flows handle tags.
func (r *PortRow) restricted() bool { return len(r.Tag) > 0 || len(r.Trunks) > 0 || r.VLANMode != "" }

// met reports whether the interface matches the spec.
func (p *PortSpec) met(have *InterfaceRow) bool {
	return have.Type == p.Type && (p.OFPort == 0 || have.OFPortRequest == int64(p.OFPort)) &&
		maps.Equal(have.Options, p.Options) && maps.Equal(have.ExternalIDs, p.ExternalIDs) &&
		(p.MAC == nil || have.MAC == p.MAC.String())
}
