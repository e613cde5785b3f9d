// SPDX-License-Identifier: Apache-2.0

package dockernet

import (
	"net/netip"

	"github.com/contiv/contiv/api/model"
)

// subnetOf parses a subnet; "" is none.
func subnetOf(field, text string) (netip.Prefix, error) {
	if text == "" {
		return netip.Prefix{}, nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil || p.Addr().Is4In6() || p.Addr().Zone() != "" {
		return p, model.Errorf(model.CodeInvalid, field, "%q is not a subnet", text).Try("it is like 10.1.1.0/24 or fd01::/64")
	}
	return p.Masked(), nil
}

// poolsOf parses the subnets of a Docker network: one of IPv4, and optionally one of IPv6.
func poolsOf(pools []model.DockerPool) (out []netip.Prefix, err error) {
	var six, four bool
	for _, p := range pools {
		subnet, err := subnetOf("Pools", p.Subnet)
		if err != nil {
			return nil, err
		}
		family := &four
		if subnet.Addr().Is6() {
			family = &six
		}
		if !subnet.IsValid() || *family {
			return nil, model.Errorf(model.CodeUnsupported, "Pools", "a network has one subnet of a family, not several").Try("make a Docker network for each subnet")
		}
		*family = true
		out = append(out, subnet)
	}
	return out, nil
}

// subnetFor returns the subnet of a family.
func subnetFor(subnets []netip.Prefix, v6 bool) (netip.Prefix, error) {
	for _, s := range subnets {
		if s.Addr().Is6() == v6 {
			return s, nil
		}
	}
	return netip.Prefix{}, model.Errorf(model.CodeInvalid, "Pools", "the Docker network has no IPv4 subnet").Try("add --ipam-driver with the name of this driver, and leave --ipv4=false out")
}

// host returns the address of "address/length", without the length.
func host(text string) string {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Addr().String()
	}
	return text
}
