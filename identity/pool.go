// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"fmt"
	"net/netip"
	"strings"
)

// Pool identifies the source of addresses of one subnet: a network, and optionally a group of it with addresses of its own. It is a pool of
// Docker. A network without a name is the one of the tenant with that subnet, which may not exist yet.
type Pool struct {
	Network Network
	Group   string // or ""
	Subnet  netip.Prefix
}

// ParsePool reads "tenant:network:group|subnet", whose network and group may be empty.
func ParsePool(text string) (Pool, error) {
	names, subnet, _ := strings.Cut(text, "|")
	parts := strings.Split(names, ":")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" && parts[2] != "" {
		return Pool{}, fmt.Errorf("%q is not of the form tenant:network:group|subnet", text)
	}
	p, err := netip.ParsePrefix(subnet)
	if err != nil || p != p.Masked() || p.String() != subnet {
		return Pool{}, fmt.Errorf("%q of %q is not a subnet such as 10.1.1.0/24", subnet, text)
	}
	return Pool{Network{parts[0], parts[1]}, parts[2], p}, nil
}

// String is "tenant:network:group|subnet".
func (p Pool) String() string {
	return p.Network.Tenant + ":" + p.Network.Name + ":" + p.Group + "|" + p.Subnet.String()
}

// Of returns the identity of the group, zero if there is none.
func (p Pool) Of() Group {
	if p.Group == "" {
		return Group{}
	}
	return Group{p.Network.Tenant, p.Group}
}
