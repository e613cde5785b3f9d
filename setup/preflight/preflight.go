// SPDX-License-Identifier: Apache-2.0

// Package preflight checks whether a machine can become a host of a cluster, before anything is changed. Each check returns
// results with a remedy.
package preflight

import (
	"context"
	"net/netip"
	"time"

	"github.com/contiv/contiv/setup/preflight/peer"
)

// Machine answers questions about a machine.
type Machine interface {
	// Root reports whether this process has root's rights.
	Root() bool
	// Kernel returns the kernel's release, as reported by uname(2).
	Kernel() (release string, err error)
	// Module reports whether the kernel has a module, or can load it.
	Module(ctx context.Context, name string) bool
	// Datapath returns nil if the kernel has a datapath for Open vSwitch, link.ErrNoKernelDatapath if it has none, and another error if
	// that is unknown.
	Datapath() error
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
	// Output runs a program and returns its standard output. The error is exec.ErrNotFound if there is no such program.
	Output(ctx context.Context, name string, args ...string) ([]byte, error)
	// ReadFile returns the content of a file. The error is fs.ErrNotExist if there is no such file.
	ReadFile(path string) ([]byte, error)
	// Names returns the names in a directory, sorted. The error is fs.ErrNotExist if there is no such directory.
	Names(dir string) ([]string, error)
}

// Subject describes what the machine is to become.
type Subject struct {
	Label   string
	Address netip.Addr // at which netmasters and agents reach it
	VTEP    netip.Addr
	VXLAN   bool   // it has tunnels
	Member  bool   // it is a host of a cluster, so its own daemons use the ports
	Switch  string // socket of Open vSwitch's database; "": there is no agent
	Store   string // directory of the embedded store; "": there is none
	Private netip.Prefix
	Ports   []Port
	// Clock returns the time of a netmaster; nil: there is none yet.
	Clock func(ctx context.Context) (time.Time, error)
	// Peer exchanges packets with another machine that runs contiv preflight --listen; nil: there is none.
	Peer func(ctx context.Context) (peer.Report, error)
}

// Port is an address at which a daemon of the host listens.
type Port struct {
	Network, Address string
	For              string
	Local            bool // other hosts do not reach it
}

// State is the state of a check.
type State string

// States of checks.
const (
	OK      State = "ok"
	Warning State = "warning" // it does not prevent the setup
	Error   State = "error"   // it prevents the setup
	Unknown State = "unknown" // the check was not possible
)

// Result is the outcome of a check. A check may have several.
type Result struct {
	Check   string `json:"check"`
	State   State  `json:"state"`
	Summary string `json:"summary"`
	Remedy  string `json:"remedy,omitempty"` // a command, or what to do
	Fix     *Fix   `json:"fix,omitempty"`
}

// Fix is a change of the kernel that removes the cause of a result: a setting, or a module to load.
type Fix struct {
	Setting string `json:"setting,omitempty"` // as sysctl(8) names it
	Value   string `json:"value,omitempty"`
	Module  string `json:"module,omitempty"`
}

// check is one of the checks. ask returns the results that are not OK, and else a summary; "": the check does not concern the subject.
type check struct {
	name string
	ask  func(ctx context.Context, m Machine, s *Subject) (fine string, wrong []Result)
}

// checks returns all checks, in the order of their reports. Their names are part of the output that programs read.
func checks() []check {
	return []check{{"account", account}, {"label", label}, {"address", address}, {"machine-id", machineID}, {"kernel", kernel}, {"open-vswitch", openvswitch},
		{"datapath", datapath}, {"ports", ports}, {"mtu", mtu}, {"packet-filter", packetFilter}, {"bridge-filter", bridgeFilter}, {"reverse-path", reversePath},
		{"private-subnet", privateSubnet}, {"cni", otherCNI}, {"clock", clock}, {"time-synchronization", timeSynchronization}, {"disk", disk}, {"peer", peerCheck}}
}

// Run runs all checks, and returns their results. It blocks for some seconds. The trial of the datapath adds a bridge to Open vSwitch and
// removes it; nothing else is changed.
func Run(ctx context.Context, m Machine, s *Subject) (out []Result) {
	for _, c := range checks() {
		fine, wrong := c.ask(ctx, m, s)
		if len(wrong) == 0 && fine != "" {
			wrong = []Result{{State: OK, Summary: fine}}
		}
		for _, r := range wrong {
			r.Check = c.name
			out = append(out, r)
		}
	}
	return out
}

// Names returns the names of all checks.
func Names() (out []string) {
	for _, c := range checks() {
		out = append(out, c.name)
	}
	return out
}

// one returns a result that prevents the setup.
func one(problem, remedy string) []Result {
	return []Result{{State: Error, Summary: problem, Remedy: remedy}}
}

// minor returns a result that does not.
func minor(problem, remedy string) []Result {
	return []Result{{State: Warning, Summary: problem, Remedy: remedy}}
}

// unknown returns the result of a check that was not possible.
func unknown(reason, remedy string) []Result {
	return []Result{{State: Unknown, Summary: reason, Remedy: remedy}}
}
