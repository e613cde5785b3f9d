package preflight

import (
	"context"
	"fmt"
	"net/netip"
)

// address: others reach the host by it.
func address(_ context.Context, m Machine, s *Subject) (out []Finding) {
	for flag, a := range map[string]netip.Addr{"--address": s.Address, "--vtep-ip": s.VTEP} {
		if !a.IsValid() || a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() {
			out = append(out, one(fmt.Sprintf("%s is no address at which other hosts reach this one", a), "name one with "+flag)...)
			continue
		}
		if _, _, err := m.MTU(a); err != nil {
			out = append(out, one(fmt.Sprintf("no interface of this machine has the address %s", a), "name one with "+flag+"; ip -brief address lists them")...)
		}
	}
	return out
}

// ports: another program may have them.
func ports(_ context.Context, m Machine, s *Subject) (out []Finding) {
	for _, p := range s.Ports {
		if err := m.Listen(p.Network, p.Address); err != nil {
			out = append(out, one(fmt.Sprintf("%s %s, of %s, is taken: %v", p.Network, p.Address, p.For, err),
				"ss -lntup tells which program has it; end that")...)
		}
	}
	return out
}

// What tunnels take of a packet, and what is left to be of use.
const (
	overhead = 50   // VXLAN over IPv4 (RFC 7348, section 5), over IPv6 20 more
	leastMTU = 1280 // of IPv6 (RFC 8200, section 5)
	usualMTU = 1500 // that containers expect
)

// mtu: the interface of the tunnels has to carry what containers send.
func mtu(_ context.Context, m Machine, s *Subject) []Finding {
	if !s.VXLAN || !s.VTEP.IsValid() {
		return nil
	}
	has, name, err := m.MTU(s.VTEP)
	if err != nil {
		return nil // address tells
	}
	takes := overhead
	if s.VTEP.Is6() {
		takes += 20
	}
	switch {
	case has < leastMTU+takes:
		return one(fmt.Sprintf("the MTU of %s is %d: tunnels leave containers %d, less than IPv6 needs", name, has, has-takes), fmt.Sprintf("ip link set %s mtu %d", name, usualMTU+takes))
	case has < usualMTU+takes:
		return minor(fmt.Sprintf("the MTU of %s is %d: containers of tunnelled networks get %d", name, has, has-takes),
			fmt.Sprintf("where the network carries it, give all hosts %d: ip link set %s mtu %d", usualMTU+takes, name, usualMTU+takes))
	}
	return nil
}
