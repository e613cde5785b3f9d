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
	// Free returns the free space, in bytes, of a directory that may not exist yet.
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
	Store   string // directory of the embedded store; "": there is none
	Ports   []Port
	// Clock is the time of a netmaster; nil: there is none yet.
	Clock func(ctx context.Context) (time.Time, error)
}

// Port is where a daemon of the host will listen.
type Port struct {
	Network, Address string
	For              string
}

// Finding is a problem of the machine, with its remedy.
type Finding struct {
	Check, Problem, Remedy string
	Minor                  bool // the machine can be a host nevertheless
}

// check is one check by its name.
type check struct {
	name string
	ask  func(ctx context.Context, m Machine, s *Subject) []Finding
}

// checks returns all checks, in the order of their findings.
func checks() []check {
	return []check{{"account", account}, {"label", label}, {"address", address}, {"kernel", kernel}, {"Open vSwitch", openvswitch}, {"ports", ports},
		{"MTU", mtu}, {"clock", clock}, {"disk", disk}}
}

// Run runs all checks and returns their findings. It blocks for at most some seconds.
func Run(ctx context.Context, m Machine, s *Subject) (out []Finding) {
	for _, c := range checks() {
		for _, f := range c.ask(ctx, m, s) {
			f.Check = c.name
			out = append(out, f)
		}
	}
	return out
}

// one returns a finding that prevents the machine from being a host.
func one(problem, remedy string) []Finding { return []Finding{{Problem: problem, Remedy: remedy}} }

// minor returns a finding that does not.
func minor(problem, remedy string) []Finding {
	return []Finding{{Problem: problem, Remedy: remedy, Minor: true}}
}
