// Package preflight looks whether a machine can be a host of a cluster, before anything is changed: each check is a question to the machine, and what to
// do when the answer is no.
package preflight

import (
	"context"
	"net/netip"
	"time"
)

// Machine is what is asked of a machine.
type Machine interface {
	// Root reports whether this process may do everything.
	Root() bool
	// Kernel is the kernel's release, as uname(2) has it.
	Kernel() (release string, err error)
	// Module reports whether the kernel has a module, or can load it.
	Module(ctx context.Context, name string) bool
	// Switch is the version of Open vSwitch that answers at a socket of its database.
	Switch(ctx context.Context, socket string) (version string, err error)
	// Listen tries to listen, and gives up at once: network is "tcp" or "udp".
	Listen(network, address string) error
	// MTU is that of the interface that has an address, and the interface's name.
	MTU(a netip.Addr) (mtu int, name string, err error)
	// Free is the space that is left where a folder is or will be, in bytes.
	Free(dir string) (int64, error)
	// Now is the time.
	Now() time.Time
}

// Subject is what the machine is to become.
type Subject struct {
	Label   string
	Address netip.Addr // at which netmasters and agents reach it
	VTEP    netip.Addr
	VXLAN   bool   // it tunnels
	Switch  string // socket of Open vSwitch's database; "": there is no agent
	Store   string // folder of the embedded store; "": there is none
	Ports   []Port
	// Clock is the time of a netmaster; nil: there is none yet.
	Clock func(ctx context.Context) (time.Time, error)
}

// Port is where a daemon of the host will listen.
type Port struct {
	Network, Address string
	For              string
}

// Finding is what stands in the way.
type Finding struct {
	Check, Problem, Remedy string
	Minor                  bool // it does not keep the machine from being a host
}

// check is one of the questions.
type check struct {
	name string
	ask  func(ctx context.Context, m Machine, s *Subject) []Finding
}

// checks are all, in the order in which they are reported.
func checks() []check {
	return []check{{"account", account}, {"label", label}, {"address", address}, {"kernel", kernel}, {"Open vSwitch", openvswitch}, {"ports", ports},
		{"MTU", mtu}, {"clock", clock}, {"disk", disk}}
}

// Run asks everything, and returns what stands in the way. It blocks for some seconds at the most.
func Run(ctx context.Context, m Machine, s *Subject) (out []Finding) {
	for _, c := range checks() {
		for _, f := range c.ask(ctx, m, s) {
			f.Check = c.name
			out = append(out, f)
		}
	}
	return out
}

// one is a finding that stands in the way.
func one(problem, remedy string) []Finding { return []Finding{{Problem: problem, Remedy: remedy}} }

// minor is one that does not.
func minor(problem, remedy string) []Finding {
	return []Finding{{Problem: problem, Remedy: remedy, Minor: true}}
}
