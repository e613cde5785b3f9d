// Package preflight checks whether a machine can become a host of a cluster, before anything is changed. Each check returns
// findings with a remedy.
package preflight

import (
	"context"
	"net/netip"
	"time"
)

// Machine answers questions about a machine.
type Machine interface {
	// Root reports whether this process has root's rights.
	Root() bool
	// Kernel returns the kernel's release, as reported by uname(2).
	Kernel() (release string, err error)
	// Module reports whether the kernel has a module, or can load it.
	Module(ctx context.Context, name string) bool
	// Switch returns the version of the Open vSwitch whose database has a socket.
	Switch(ctx context.Context, socket string) (version string, err error)
	// Listen listens and closes the socket at once. The network is "tcp" or "udp".
	Listen(network, address string) error
	// MTU returns the MTU and the name of the interface that has an address.
	MTU(a netip.Addr) (mtu int, name string, err error)
	// Free returns the free space for a directory that may not exist yet, in bytes.
	Free(dir string) (int64, error)
	// Now returns the current time.
	Now() time.Time
}

// Subject describes what the machine is to become.
type Subject struct {
	Label   string
	Address netip.Addr // at which netmasters and agents reach it
	VTEP    netip.Addr
	VXLAN   bool   // it has tunnels
	Switch  string // socket of Open vSwitch's database; "": there is no agent
	Store   string // directory of the embedded store; "": there is none
	Ports   []Port
	// Clock returns the time of a netmaster; nil: there is none yet.
	Clock func(ctx context.Context) (time.Time, error)
}

// Port is an address at which a daemon of the host will listen.
type Port struct {
	Network, Address string
	For              string
}

// Finding is a problem of the machine.
type Finding struct {
	Check, Problem, Remedy string
	Minor                  bool // it does not prevent the setup
}

// check is one of the checks.
type check struct {
	name string
	ask  func(ctx context.Context, m Machine, s *Subject) []Finding
}

// checks returns all checks, in the order of their reports.
func checks() []check {
	return []check{{"account", account}, {"label", label}, {"address", address}, {"kernel", kernel}, {"Open vSwitch", openvswitch}, {"ports", ports},
		{"MTU", mtu}, {"clock", clock}, {"disk", disk}}
}

// Run runs all checks, and returns their findings. It blocks for some seconds.
func Run(ctx context.Context, m Machine, s *Subject) (out []Finding) {
	for _, c := range checks() {
		for _, f := range c.ask(ctx, m, s) {
			f.Check = c.name
			out = append(out, f)
		}
	}
	return out
}

// one returns a finding that prevents the setup.
func one(problem, remedy string) []Finding { return []Finding{{Problem: problem, Remedy: remedy}} }

// minor returns a finding that does not.
func minor(problem, remedy string) []Finding {
	return []Finding{{Problem: problem, Remedy: remedy, Minor: true}}
}
