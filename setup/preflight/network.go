package preflight

import (
	"context"
	"fmt"
	"net/netip"
)

// address checks that other hosts can reach the host at its addresses.
func address(_ context.Context, m Machine, s *Subject) (out []Finding) {
	for flag, a := range map[string]netip.Addr{"--address": s.Address, "--vtep-ip": s.VTEP} {
		if !a.IsValid() || a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() {
			out = append(out, one(fmt.Sprintf("other hosts cannot reach this one at %s", a), "name one with "+flag)...)
			continue
		}
		if _, _, err := m.MTU(a); err != nil {
			out = append(out, one(fmt.Sprintf("no interface of this machine has the address %s", a), "name one with "+flag+"; ip -brief address lists them")...)
		}
	}
	return out
}

// ports checks that no other program uses the ports of the host's daemons.
func ports(_ context.Context, m Machine, s *Subject) (out []Finding) {
	for _, p := range s.Ports {
		if err := m.Listen(p.Network, p.Address); err != nil {
			out = append(out, one(fmt.Sprintf("%s %s, of %s, is in use: %v", p.Network, p.Address, p.For, err),
				"find the program with ss -lntup, and stop it")...)
		}
	}
	return out
}

// The overhead of tunnels, and MTUs.
const (
	overhead = 50   // of VXLAN over IPv4 (RFC 7348, section 5), in bytes; over IPv6 20 more
	minMTU   = 1280 // of IPv6 (RFC 8200, section 5)
	usualMTU = 1500 // that containers expect
)

// mtu checks that the tunnels' interface can carry the packets of containers.
func mtu(_ context.Context, m Machine, s *Subject) []Finding {
	if !s.VXLAN || !s.VTEP.IsValid() {
		return nil
	}
	has, name, err := m.MTU(s.VTEP)
	if err != nil {
		return nil // address reports this
	}
	takes := overhead
	if s.VTEP.Is6() {
		takes += 20
	}
	switch {
	case has < minMTU+takes:
		return one(fmt.Sprintf("the MTU of %s is %d: tunnels leave containers %d, less than IPv6 needs", name, has, has-takes), fmt.Sprintf("ip link set %s mtu %d", name, usualMTU+takes))
	case has < usualMTU+takes:
		return minor(fmt.Sprintf("the MTU of %s is %d: containers of tunnelled networks get %d", name, has, has-takes),
			fmt.Sprintf("if the network allows it, raise the MTU of all hosts to %d: ip link set %s mtu %d", usualMTU+takes, name, usualMTU+takes))
	}
	return nil
}
