// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"

	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Managed is the label, and the option of the driver, of networks that the agent keeps.
const Managed = "io.contiv.managed"

// Options of networks: those of the original, and what it derived them from.
const (
	optionTenant  = "tenant"
	optionNetwork = "network"
	optionGroup   = "group"
	optionEncap   = "encap"
	optionTag     = "pkt-tag" // VNI or VLAN
	// optionContivTag is of networks of users, and names a group or a network by its tag.
	optionContivTag = "contiv-tag"
)

// defaultTenant is omitted from the names of networks.
const defaultTenant = "default"

// wanted returns the desired networks of an engine, by name, for a driver. If a network and a group have the same name, the network has it;
// clashes gives the reason why the others are missing.
func wanted(s *desired.Segments, driver string) (out map[string]Spec, clashes map[string]string) {
	out, clashes = map[string]Spec{}, map[string]string{}
	of := map[string]string{}
	put := func(name, tenant, what string, spec Spec) {
		if tenant != defaultTenant {
			name += "/" + tenant
		}
		if first, taken := of[name]; taken {
			clashes[what] = fmt.Sprintf("%s has the name %s already", first, name)
			return
		}
		out[name], of[name] = spec, what
	}
	networks := map[identity.Network]*record.Network{}
	for i := range s.Networks {
		n := &s.Networks[i]
		if n.Kind == record.InfraNetwork || !n.Subnet.IsValid() {
			continue
		}
		networks[n.ID] = n
		if !s.ACI {
			put(n.ID.Name, n.ID.Tenant, "network "+n.ID.String(), specOf(n, "", driver))
		}
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		if n := networks[g.Network]; n != nil {
			put(g.ID.Name, g.ID.Tenant, "group "+g.ID.String(), specOf(n, g.ID.Name, driver))
		}
	}
	return out, clashes
}

// specOf returns the specification of an engine's network for a network, or for a group on it.
func specOf(n *record.Network, group, driver string) Spec {
	tag := n.PktTag
	if n.Encap == record.VXLAN {
		tag = n.ExtPktTag
	}
	about := map[string]string{optionTenant: n.ID.Tenant, optionNetwork: n.ID.Name}
	if group != "" {
		about[optionGroup] = group
	}
	s := Spec{Driver: driver, IPAM: driver, IPAMOptions: about, Options: maps.Clone(about), Labels: map[string]string{Managed: "true"},
		IPv6: n.Subnet6.IsValid()}
	s.Options[optionEncap], s.Options[optionTag], s.Options[Managed] = string(n.Encap), strconv.Itoa(tag), "true"
	for _, part := range []Subnet{{n.Subnet, n.Gateway}, {n.Subnet6, n.Gateway6}} {
		if part.Prefix.IsValid() {
			s.Subnets = append(s.Subnets, part)
		}
	}
	return s
}

// managed reports whether the agent has created the network.
func (s *Spec) managed() bool { return s.Labels[Managed] == "true" || s.Options[Managed] == "true" }

// differs names the first difference from the desired network, "" if there is none. An engine chooses a gateway if none is given.
func (s *Spec) differs(want *Spec) string {
	for _, f := range []struct {
		name      string
		got, want any
		same      bool
	}{
		{"driver", s.Driver, want.Driver, s.Driver == want.Driver},
		{"IPAM driver", s.IPAM, want.IPAM, s.IPAM == want.IPAM},
		{"options", s.Options, want.Options, maps.Equal(s.Options, want.Options)},
		{"IPAM options", s.IPAMOptions, want.IPAMOptions, maps.Equal(s.IPAMOptions, want.IPAMOptions)},
		{"IPv6", s.IPv6, want.IPv6, s.IPv6 == want.IPv6},
		{"subnets", s.Subnets, want.Subnets, slices.EqualFunc(s.Subnets, want.Subnets, sameSubnet)},
	} {
		if !f.same {
			return fmt.Sprintf("%s %v, want %v", f.name, f.got, f.want)
		}
	}
	return ""
}

func sameSubnet(got, want Subnet) bool {
	return got.Prefix == want.Prefix && (got.Gateway == want.Gateway || want.Gateway == netip.Addr{})
}
