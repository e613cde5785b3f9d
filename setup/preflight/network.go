// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strings"
)

// address checks that other hosts can reach the host at its addresses.
func address(_ context.Context, m Machine, s *Subject) (fine string, out []Result) {
	for _, a := range []struct {
		flag string
		netip.Addr
	}{{"--address", s.Address}, {"--vtep-ip", s.VTEP}} {
		if !a.IsValid() || a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() {
			out = append(out, one(fmt.Sprintf("other hosts cannot reach this one at %s", a.Addr), "name one with "+a.flag)...)
			continue
		}
		if _, _, err := m.MTU(a.Addr); err != nil {
			out = append(out, one(fmt.Sprintf("no interface of this machine has the address %s", a.Addr), "name one with "+a.flag+"; ip -brief address lists them")...)
		}
	}
	return fmt.Sprintf("%s, tunnels at %s", s.Address, s.VTEP), out
}

// ports checks that no other program uses the ports of the host's daemons.
func ports(ctx context.Context, m Machine, s *Subject) (fine string, out []Result) {
	if s.Member || len(s.Ports) == 0 {
		return "", nil
	}
	var free []string
	for _, p := range s.Ports {
		err := m.Listen(p.Network, p.Address)
		if err == nil {
			free = append(free, p.Network+" "+p.Address)
			continue
		}
		by := holder(ctx, m, p)
		remedy := "find the program with ss -lntup, and stop it"
		if by != "" {
			by = " by " + by
		} else if p.Network == "udp" {
			remedy = "find the interface with ip -details link show type vxlan, and remove it, or the program that made it"
		}
		out = append(out, one(fmt.Sprintf("%s %s, of %s, is in use%s: %v", p.Network, p.Address, p.For, by, err), remedy)...)
	}
	return "free: " + strings.Join(free, ", "), out
}

// processes matches the processes of a socket in the output of ss(8).
var processes = regexp.MustCompile(`\("([^"]+)",pid=(\d+)`)

// holder returns the program that uses a port, "" if it is not known. The kernel's own sockets have no program.
func holder(ctx context.Context, m Machine, p Port) string {
	_, port, err := net.SplitHostPort(p.Address)
	if err != nil {
		return ""
	}
	kind := map[string]string{"tcp": "-t", "udp": "-u"}[p.Network]
	out, err := m.Output(ctx, "ss", "-H", "-l", "-n", "-p", kind, "sport", "=", ":"+port)
	if err != nil {
		return ""
	}
	found := processes.FindSubmatch(out)
	if found == nil {
		return ""
	}
	return fmt.Sprintf("%s (process %s)", found[1], found[2])
}

// The overhead of tunnels, and MTUs.
const (
	overhead = 50   // of VXLAN over IPv4 (RFC 7348, section 5), in bytes; over IPv6 20 more
	minMTU   = 1280 // of IPv6 (RFC 8200, section 5)
	usualMTU = 1500 // that containers expect
)

// mtu checks that the tunnels' interface can carry the packets of containers.
func mtu(_ context.Context, m Machine, s *Subject) (string, []Result) {
	if !s.VXLAN || !s.VTEP.IsValid() {
		return "", nil
	}
	has, name, err := m.MTU(s.VTEP)
	if err != nil {
		return "", nil // address reports this
	}
	takes := overhead
	if s.VTEP.Is6() {
		takes += 20
	}
	switch {
	case has < minMTU+takes:
		return "", one(fmt.Sprintf("the MTU of %s is %d: tunnels leave containers %d, less than IPv6 needs", name, has, has-takes), fmt.Sprintf("ip link set %s mtu %d", name, usualMTU+takes))
	case has < usualMTU+takes:
		return "", minor(fmt.Sprintf("the MTU of %s is %d: containers of tunnelled networks get %d", name, has, has-takes),
			fmt.Sprintf("if the network allows it, raise the MTU of all hosts to %d: ip link set %s mtu %d", usualMTU+takes, name, usualMTU+takes))
	}
	return fmt.Sprintf("%d at %s", has, name), nil
}
