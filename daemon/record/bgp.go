// SPDX-License-Identifier: Apache-2.0

package record

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// BGP is the routing of one host, at BGPs+Hostname.
type BGP struct {
	ID         string `json:"id"`        // the host's label
	Hostname   string `json:"hostname"`  // the same
	RouterIP   string `json:"router-ip"` // own address with its length
	AS         string `json:"as"`
	NeighborAS string `json:"neighbor-as"` // of all neighbours, or of each, separated by commas
	Neighbor   string `json:"neighbor"`    // addresses, separated by commas
	RouterIP6  string `json:"router-ip6,omitempty"`
	Hops       int    `json:"hops,omitempty"`     // maximum distance of neighbours; 0: any
	Prefixes   int    `json:"prefixes,omitempty"` // maximum per family and neighbour; 0: MaxPrefixes
	Password   string `json:"password,omitempty"` // of the sessions with all neighbours, or with each, separated by commas; agents need it in plain text
}

// MaxPrefixes is the default for the maximum number of routes of a family that a neighbour may announce: more than networks beyond an
// uplink have, and less than would exhaust the agent's memory.
const MaxPrefixes = 100000

// Routing is the parsed BGP record.
type Routing struct {
	Address    netip.Prefix // IPv4, own
	Address6   netip.Prefix // IPv6, own; invalid if there is none, and no routes of IPv6
	AS         uint32
	Neighbours []Neighbour // each address once
	Hops       int         // maximum distance of neighbours; 0: any
	Prefixes   int         // maximum per family and neighbour; 0: MaxPrefixes
}

// Neighbour is a router outside.
type Neighbour struct {
	Address  netip.Addr
	AS       uint32
	Password string // "": segments are not signed
}

// MaxNeighbours is the maximum number of neighbours of a host.
const MaxNeighbours = 16

// BGPError describes an invalid field of a BGP record.
type BGPError struct {
	Field string // its name in the API
	Value string
	Want  string // the expected form
}

// Error names the field and its expected form.
func (e *BGPError) Error() string { return e.Given() + ": want " + e.Want }

// Given returns the field with its value, or only the field if the value is a secret.
func (e *BGPError) Given() string {
	if e.Field == passwordField {
		return e.Field
	}
	return fmt.Sprintf("%s %q", e.Field, e.Value)
}

// passwordField is the field whose value is never shown.
const passwordField = "password"

// MaxPassword is the maximum length of a session's password, in bytes (TCP_MD5SIG_MAXKEYLEN).
const MaxPassword = 80

const wantAS = "a number from 1 to 4294967294"

// Routing parses the record. A record without a neighbour gives a Routing without any. Errors are *BGPError.
func (b *BGP) Routing() (r Routing, err error) {
	if r.Address, err = netip.ParsePrefix(b.RouterIP); err != nil || !r.Address.Addr().Is4() {
		return r, &BGPError{"routerip", b.RouterIP, "an IPv4 address with its length, such as 50.1.1.2/24"}
	}
	if b.RouterIP6 != "" {
		if r.Address6, err = netip.ParsePrefix(b.RouterIP6); err != nil || !global6(r.Address6.Addr()) {
			return r, &BGPError{"routerip6", b.RouterIP6, "an IPv6 address with its length, such as fd50::2/64"}
		}
	}
	if r.AS, err = number(b.AS); err != nil {
		return r, &BGPError{"as", b.AS, wantAS}
	}
	if b.Hops < 0 || b.Hops > 254 {
		return r, &BGPError{"ttl-security", strconv.Itoa(b.Hops), "a number of hops from 1 to 254, or 0"}
	}
	if b.Prefixes < 0 {
		return r, &BGPError{"max-prefixes", strconv.Itoa(b.Prefixes), "a number of routes, or 0"}
	}
	r.Hops, r.Prefixes = b.Hops, b.Prefixes
	r.Neighbours, err = b.neighbours(r.Address6.IsValid())
	return r, err
}

// neighbours reads the two lists.
func (b *BGP) neighbours(six bool) (out []Neighbour, err error) {
	addresses, numbers := list(b.Neighbor), list(b.NeighborAS)
	if len(addresses) == 0 {
		return nil, nil
	}
	if len(addresses) > MaxNeighbours {
		return nil, &BGPError{"neighbor", b.Neighbor, fmt.Sprintf("%d addresses at most", MaxNeighbours)}
	}
	if len(numbers) != 1 && len(numbers) != len(addresses) {
		return nil, &BGPError{"neighbor-as", b.NeighborAS, fmt.Sprintf("one number for all neighbours, or one for each of the %d", len(addresses))}
	}
	passwords, err := b.passwords(len(addresses))
	if err != nil {
		return nil, err
	}
	for i, text := range addresses {
		n := Neighbour{Password: passwords[min(i, len(passwords)-1)]}
		if n.Address, err = netip.ParseAddr(text); err != nil || !n.Address.Is4() && !global6(n.Address) {
			return nil, &BGPError{"neighbor", text, "an IPv4 or IPv6 address; several are separated by commas"}
		}
		if n.Address.Is6() && !six {
			return nil, &BGPError{"neighbor", text, "an IPv4 address, or an own address of IPv6 (routerip6) to speak with it"}
		}
		if slices.ContainsFunc(out, func(o Neighbour) bool { return o.Address == n.Address }) {
			return nil, &BGPError{"neighbor", b.Neighbor, "each address once"}
		}
		if n.AS, err = number(numbers[min(i, len(numbers)-1)]); err != nil {
			return nil, &BGPError{"neighbor-as", b.NeighborAS, wantAS + " for all neighbours, or one for each, separated by commas"}
		}
		out = append(out, n)
	}
	return out, nil
}

// passwords returns those of n neighbours, or one for all of them.
func (b *BGP) passwords(n int) ([]string, error) {
	out := strings.Split(b.Password, ",")
	if len(out) != 1 && len(out) != n {
		return nil, &BGPError{Field: passwordField, Want: fmt.Sprintf("one for all neighbours, or one for each of the %d, separated by commas", n)}
	}
	for _, p := range out {
		if len(p) > MaxPassword || strings.ContainsFunc(p, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return nil, &BGPError{Field: passwordField, Want: fmt.Sprintf("at most %d printable ASCII characters for a neighbour, without a space", MaxPassword)}
		}
	}
	return out, nil
}

// list splits a text at commas; nothing is an empty list.
func list(text string) (out []string) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for word := range strings.SplitSeq(text, ",") {
		out = append(out, strings.TrimSpace(word))
	}
	return out
}

// global6 reports whether a is an IPv6 address that a router may have: unicast, and not link-local.
func global6(a netip.Addr) bool {
	return a.Is6() && !a.Is4In6() && a.Zone() == "" && !a.IsUnspecified() && !a.IsMulticast() && !a.IsLinkLocalUnicast() && !a.IsLoopback()
}

// number parses an AS number (RFC 6793; RFC 7607 and RFC 7300 reserve 0 and the last one).
func number(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err == nil && (n == 0 || n == 1<<32-1) {
		err = errors.New("reserved")
	}
	return uint32(n), err
}
