// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/ofnet/link"
)

// Settings list what is open and closed to containers in addition to what the cluster defines.
type Settings struct {
	Open     []link.Ports   // of hosts
	Prefixes []netip.Prefix // closed
	Shut     []link.Ports   // closed at any address outside of a tenant

	open, prefixes, shut []string
}

// Register adds the flags.
func (s *Settings) Register(f *flags.Set) {
	f.List(&s.open, "host-ports", "HOST_PORTS", "ports of hosts that containers may reach, such as tcp/10250 or udp/4000-4010 (default: none, except for DNS)")
	f.List(&s.prefixes, "protected-prefixes", "PROTECTED_PREFIXES", "additional addresses that containers may not reach through this host, such as 10.0.0.0/24")
	f.List(&s.shut, "closed-ports", "CLOSED_PORTS", "ports that containers may not reach at any address outside of their tenant, in addition to those of netmasters, the store's clients and VXLAN (default: tcp/2380,tcp/10000, of the store's members and of clients of the original)")
}

// Check reads the values, and returns what is wrong.
func (s *Settings) Check() (err error) {
	if s.Open, err = ports("host-ports", s.open); err != nil {
		return err
	}
	if s.shut == nil {
		s.shut = []string{"tcp/2380", "tcp/10000"}
	}
	if s.Shut, err = ports("closed-ports", s.shut); err != nil {
		return err
	}
	for _, text := range s.prefixes {
		p, err := netip.ParsePrefix(text)
		if a, failed := netip.ParseAddr(text); failed == nil && a.Zone() == "" {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil || p.Addr().Is4In6() {
			return fmt.Errorf("--protected-prefixes: %q is not like 10.0.0.0/24, fd00::/64 or 10.0.0.1", text)
		}
		s.Prefixes = append(s.Prefixes, p.Masked())
	}
	return nil
}

// ports reads a flag that lists ports.
func ports(flag string, texts []string) (out []link.Ports, err error) {
	for _, text := range texts {
		p, err := link.ParsePorts(text)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flag, err)
		}
		out = append(out, p)
	}
	return out, nil
}
