// SPDX-License-Identifier: Apache-2.0

package health

import (
	"cmp"
	"net"
	"net/url"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// Topology has what relates findings to each other beyond their own content.
type Topology struct {
	Machines map[string]string // machines of netmasters and of members of the store, by object, "master/192.0.2.1" or "store/m1": labels of hosts, or addresses
	Members  int               // of the store; 0: unknown
}

// Topology returns which daemons are on one machine, by their addresses.
func (s *Snapshot) Topology() Topology {
	t := Topology{Machines: map[string]string{}, Members: len(s.Store.Members)}
	at := map[string]string{} // addresses of netmasters and members of the store, by reference
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Role != model.RoleAgent {
			at["master/"+n.Name] = n.Name
			if len(s.Store.Members) == 0 {
				t.Members++ // each netmaster has a member, or the store would answer
			}
		}
	}
	for _, m := range s.Store.Members {
		first, _, _ := strings.Cut(m.Address, ",")
		if u, err := url.Parse(first); err == nil && u.Hostname() != "" {
			at["store/"+m.Name] = u.Hostname()
		}
	}
	labels := make(map[string]string, len(at)) // of the hosts with these addresses
	for _, address := range at {
		labels[address] = address
	}
	for _, n := range hosts(s) {
		if address, _, err := net.SplitHostPort(n.Address); err == nil {
			if _, has := labels[address]; has {
				labels[address] = n.Name
			}
		}
	}
	for ref, address := range at {
		t.Machines[ref] = labels[address]
	}
	return t
}

// about returns the hosts that a finding is about: that of its object, or else the one that found it.
func (t *Topology) about(f *model.Finding) []string {
	object, _ := identity.ParseRef(f.Object)
	switch object.Kind {
	case "host", "Bgp":
		return []string{object.Name}
	case "uplink":
		return []string{identity.Scope(object.Name)}
	case "address":
		return f.Peers
	case mastersKind:
		machines := make([]string, 0, len(f.Peers))
		for _, p := range f.Peers {
			machines = append(machines, cmp.Or(t.Machines["master/"+p], p))
		}
		return machines
	case "master", "store":
		return []string{cmp.Or(t.Machines[f.Object], f.Object)}
	}
	if f.Host == "" {
		return nil
	}
	return []string{f.Host}
}

// ends returns the hosts at the other ends of the paths that a finding is about.
func ends(f *model.Finding) []string {
	if len(f.Peers) > 0 {
		return f.Peers
	}
	if object, _ := identity.ParseRef(f.Object); object.Kind == "host" && object.Name != f.Host {
		return []string{object.Name}
	}
	return nil
}
