// SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"

	"github.com/contiv/contiv/sanitize"
)

// Host is a machine whose agent has been admitted to the cluster, at Hosts+Label. Its label, its tunnel end and its control address belong
// to this machine only, whether its agent runs or not, until another machine's admission or netctl node forget ends that.
type Host struct {
	Label     string         `json:"host"`
	Machine   string         `json:"machine"`            // identity of the machine, a hash
	Instance  string         `json:"seat"`               // hash of data that the agent's Open vSwitch keeps until the machine restarts: it distinguishes clones of a machine
	VTEP      netip.Addr     `json:"vtep"`               // tunnel address
	Port      int            `json:"port"`               // of tunnels, UDP
	Control   netip.AddrPort `json:"control,omitzero"`   // of the agent's REST interface; the zero AddrPort if it has none
	UplinkMAC MAC            `json:"uplinkMac,omitzero"` // the zero MAC if it has no uplink
	Node4     netip.Addr     `json:"node4,omitzero"`     // the machine's own addresses, by which containers reach it
	Node6     netip.Addr     `json:"node6,omitzero"`
	// Own are all addresses of the machine at which others may reach it, each with the length of its subnet, and Interfaces the names of
	// its interfaces, except those of Contiv: both as reported by the host, ordered, at most MaxOwn and MaxInterfaces. Package ownership
	// decides the value of these claims.
	Own        []netip.Prefix `json:"own,omitempty"`
	Interfaces []string       `json:"interfaces,omitempty"`
	Version    string         `json:"version"` // of the agent
	Since      string         `json:"since"`   // RFC 3339: when the machine became the host
	// KubernetesNode is the Kubernetes node that the host was last seen to be; "": none so far. The leader writes it.
	KubernetesNode string `json:"kubernetesNode,omitempty"`
}

// Running means that the agent of a host runs, at Running+LABEL. The leader keeps it, by the agents' connections to netmasters.
type Running struct {
	Host  string `json:"host"`
	Since string `json:"since"` // RFC 3339
}

// The maximum numbers of addresses and interfaces of a host, and the maximum length of an interface name in Linux (IFNAMSIZ without the
// final byte).
const (
	MaxOwn         = 64
	MaxInterfaces  = 128
	interfaceLimit = 15
)

// Equal reports whether two records of hosts are equal.
func (h *Host) Equal(o *Host) bool {
	a, b := *h, *o
	a.Own, a.Interfaces, b.Own, b.Interfaces = nil, nil, nil, nil
	return reflect.DeepEqual(a, b) && slices.Equal(h.Own, o.Own) && slices.Equal(h.Interfaces, o.Interfaces)
}

// Registered returns the addresses by which the host is registered, each once: its tunnel address, its control address and those by
// which containers reach it.
func (h *Host) Registered() (out []netip.Addr) {
	for _, a := range []netip.Addr{h.VTEP, h.Control.Addr(), h.Node4, h.Node6} {
		if a.IsValid() && !slices.Contains(out, a.Unmap()) {
			out = append(out, a.Unmap())
		}
	}
	return out
}

// InterfaceName reports whether a text is valid as the name of an interface in a host's report.
func InterfaceName(name string) bool {
	return name != "" && len(name) <= interfaceLimit && !strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c == '/' || c >= 0x7f })
}

// Claims returns what belongs only to the host, as text: "control/ADDRESS:PORT", "host/LABEL" and "vtep/ADDRESS", as far as it has them.
func (h *Host) Claims() (out []string) {
	if h.Control.IsValid() {
		out = append(out, "control/"+h.Control.String())
	}
	out = append(out, "host/"+h.Label)
	if h.VTEP.IsValid() {
		out = append(out, "vtep/"+h.VTEP.String())
	}
	return out
}

// String names the host with its machine.
func (h *Host) String() string {
	text := fmt.Sprintf("host %s (machine %s, tunnel address %s", h.Label, h.Machine, h.VTEP)
	if h.Control.IsValid() {
		text += ", control address " + h.Control.String()
	}
	return text + ")"
}

// Wrong returns what is invalid about the host, and the field; both are "" if nothing is.
func (h *Host) Wrong() (field, why string) {
	const longest = 253 // of a name of the DNS (RFC 1035, section 2.3.4)
	switch {
	case h.Label == "" || len(h.Label) > longest || strings.ContainsFunc(h.Label, func(c rune) bool { return c <= ' ' || c == '/' || c == 0x7f }):
		return "host", fmt.Sprintf("got %q, want a label without spaces and slashes, of at most %d bytes", h.Label, longest)
	case h.Machine == "":
		return "machine", "it is missing"
	case !usable(h.VTEP):
		return "vtep", fmt.Sprintf("%q is not the address of a host", Text(h.VTEP))
	case h.Control != (netip.AddrPort{}) && (!usable(h.Control.Addr()) || h.Control.Port() == 0):
		return "control", fmt.Sprintf("%s is not the address and port of a host", h.Control)
	case h.Port < 1 || h.Port > 65535:
		return "port", fmt.Sprintf("%d is not from 1 to 65535", h.Port)
	case h.Node4.IsValid() && !h.Node4.Is4():
		return "node4", fmt.Sprintf("%s is not an address of IPv4", h.Node4)
	case h.Node6.IsValid() && (!h.Node6.Is6() || h.Node6.Is4In6()):
		return "node6", fmt.Sprintf("%s is not an address of IPv6", h.Node6)
	case len(h.Own) > MaxOwn:
		return "own", fmt.Sprintf("got %d addresses, want at most %d", len(h.Own), MaxOwn)
	case len(h.Interfaces) > MaxInterfaces:
		return "interfaces", fmt.Sprintf("got %d interfaces, want at most %d", len(h.Interfaces), MaxInterfaces)
	}
	for _, p := range h.Own {
		if !p.IsValid() || p.Addr().Is4In6() || !p.Addr().IsGlobalUnicast() {
			return "own", fmt.Sprintf("%q is not an address of a host and the length of its subnet", p)
		}
	}
	for _, name := range h.Interfaces {
		if !InterfaceName(name) {
			return "interfaces", fmt.Sprintf("%q is not the name of an interface", sanitize.Line(name, interfaceLimit))
		}
	}
	return "", ""
}

// usable reports whether a host may have an address.
func usable(a netip.Addr) bool {
	return a.IsValid() && !a.IsUnspecified() && !a.IsMulticast() && a != netip.AddrFrom4([4]byte{255, 255, 255, 255})
}
