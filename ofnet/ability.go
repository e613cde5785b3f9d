// SPDX-License-Identifier: Apache-2.0

package ofnet

import "strings"

// Abilities are a set of what Open vSwitch can do with its datapath. The kernel's datapath can do more or less by kernel, and less than
// the one in user space.
type Abilities uint32

// The abilities that a pipeline needs of a datapath.
const (
	// NDExtensions: reads and writes the flags of neighbor discovery and the type of its options.
	NDExtensions  Abilities = 1 << iota
	Tracker                 // hands packets to a connection tracker
	Zones                   // has the tracker keep tenants apart
	Marks                   // has the tracker store the generation of rules that admitted a connection
	Labels                  // has the tracker store which rules those were
	Translation             // has the tracker translate addresses
	Recirculation           // has a packet pass the tables again, once the tracker has seen it
	Clones                  // changes a copy of a packet, and not the packet
	Meters                  // limits a rate
	Groups                  // copies a packet, and chooses between destinations
	Forgetting              // deletes single connections of the tracker; this depends on ovs-vswitchd, not on its datapath
)

// ability describes one Ability.
type ability struct {
	of    Abilities
	key   string // in column capabilities of OVSDB's table Datapath (ovs-vswitchd.conf.db(5)), or what OpenFlow calls it
	means string // what does not work without it; "": the pipeline has an alternative
}

// abilities lists all of them.
func abilities() []ability {
	return []ability{
		{NDExtensions, "nd_ext", ""},
		{Tracker, "ct_state", "policies and services"},
		{Zones, "ct_zone", "policies and services"},
		{Marks, "ct_mark", "policies and services"},
		{Labels, "ct_label", "policies and services"},
		{Translation, "ct_state_nat", "services"},
		{Recirculation, "recirc", "policies and services"},
		{Clones, "clone", "broadcasts"},
		{Meters, "meters", "limits of bandwidth, and answers to ARP, DNS and probes"},
		{Groups, "groups", "broadcasts and services"},
		{Forgetting, "ct_flush", ""}, // connections end by their timeouts
	}
}

// LackedBy returns the abilities that the row of a datapath in OVSDB reports as false. An ability that it does not report counts as
// present: an Open vSwitch that lists capabilities lists those that a datapath may lack.
func LackedBy(capabilities map[string]string) (lacks Abilities) {
	for _, a := range abilities() {
		if capabilities[a.key] == "false" {
			lacks |= a.of
		}
	}
	return lacks
}

// Has reports whether the set includes all of some.
func (a Abilities) Has(some Abilities) bool { return a&some == some }

// Needed lists the abilities for which the pipeline has no alternative.
func (a Abilities) Needed() (out Abilities) {
	for _, x := range abilities() {
		if x.means != "" && a.Has(x.of) {
			out |= x.of
		}
	}
	return out
}

// String lists the names that Open vSwitch gives them.
func (a Abilities) String() string {
	var names []string
	for _, x := range abilities() {
		if a.Has(x.of) {
			names = append(names, x.key)
		}
	}
	return strings.Join(names, ", ")
}

// Means lists what does not work on a datapath that lacks them.
func (a Abilities) Means() string {
	var parts []string
	seen := map[string]bool{}
	for _, x := range abilities() {
		if a.Has(x.of) && x.means != "" && !seen[x.means] {
			seen[x.means] = true
			parts = append(parts, x.means)
		}
	}
	return strings.Join(parts, ", ")
}
