package preflight

import (
	"context"
	"fmt"
	"net/netip"
)

// address checks that this machine has the addresses at which others reach it.
func address(_ context.Context, m Machine, s *Subject) (out []Finding) {
	for flag, a := range map[string]netip.Addr{"--address": s.Address, "--vtep-ip": s.VTEP} {
		if !a.IsValid() || a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() {
			out = append(out, one(fmt.Sprintf("%s is not an address at which other hosts can reach this one", a), "name one with "+flag)...)
			continue
		}
		if _, _, err := m.MTU(a); err != nil {
			out = append(out, one(fmt.Sprintf("no interface of this machine has the address %s", a), "name one with "+flag+"; ip -brief address lists them")...)
		}
	}
	return out
}

// ports checks that no other program listens at the ports of the daemons.
func ports(_ context.Context, m Machine, s *Subject) (out []Finding) {
	for _, p := range s.Ports {
		if err := m.Listen(p.Network, p.Address); err != nil {
			out = append(out, one(fmt.Sprintf("%s %s, for %s, is in use: %v", p.Network, p.Address, p.For, err),
				"stop the program that uses it: ss -lntup shows it")...)
		}
	}
	return out
}

// Sizes in bytes of the header that a tunnel adds, and of packets of containers.
const (
	overhead = 50   // VXLAN over IPv4 (RFC 7348, section 5), over IPv6 20 more
	leastMTU = 1280 // of IPv6 (RFC 8200, section 5)
	usualMTU = 1500 // that containers expect
)

// mtu checks that the interface of the tunnels can carry the packets of containers.
func mtu(_ context.Context, m Machine, s *Subject) []Finding {
	if !s.VXLAN || !s.VTEP.IsValid() {
		return nil
	}
	has, name, err := m.MTU(s.VTEP)
	if err != nil {
		return nil // address reports it
	}
	takes := overhead
	if s.VTEP.Is6() {
		takes += 20
	}
	switch {
	case has < leastMTU+takes:
		return one(fmt.Sprintf("the MTU of %s is %d: tunnels leave %d for containers, less than IPv6 needs", name, has, has-takes), fmt.Sprintf("ip link set %s mtu %d", name, usualMTU+takes))
	case has < usualMTU+takes:
		return minor(fmt.Sprintf("the MTU of %s is %d: containers of tunnelled networks get %d", name, has, has-takes),
			fmt.Sprintf("if the network allows it, raise the MTU of all hosts to %d: ip link set %s mtu %d", usualMTU+takes, name, usualMTU+takes))
	}
	return nil
}
