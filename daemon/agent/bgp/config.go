package bgp

import (
	"fmt"
	"net/netip"
	"strconv"

	"github.com/contiv/contiv/daemon/record"
)

// Config is what a Speaker is told.
type Config struct {
	Address netip.Prefix // own address on the link to the peers, with its length; IPv4
	AS      uint32
	Port    uint16 // TCP, at which to listen; 0: 179
	Peers   []Peer
}

// Peer is a router at the other end of a session.
type Peer struct {
	Address netip.Addr
	AS      uint32
	Port    uint16 // TCP, to connect to; 0: 179
}

// Parse reads a router's record. A record without a neighbour gives a Config without peers.
func Parse(r *record.BGP) (c Config, err error) {
	bad := func(field, value, want string) (Config, error) {
		return Config{}, fmt.Errorf("router of host %s: %s %q: want %s", r.Hostname, field, value, want)
	}
	if c.Address, err = netip.ParsePrefix(r.RouterIP); err != nil || !c.Address.Addr().Is4() {
		return bad("router-ip", r.RouterIP, "an IPv4 address with its length, such as 50.1.1.2/24")
	}
	if c.AS, err = number(r.AS); err != nil {
		return bad("as", r.AS, "a number from 1 to 4294967294")
	}
	if r.Neighbor == "" {
		return c, nil
	}
	var p Peer
	if p.Address, err = netip.ParseAddr(r.Neighbor); err != nil || !p.Address.Is4() {
		return bad("neighbor", r.Neighbor, "an IPv4 address")
	}
	if p.AS, err = number(r.NeighborAS); err != nil {
		return bad("neighbor-as", r.NeighborAS, "a number from 1 to 4294967294")
	}
	c.Peers = append(c.Peers, p)
	return c, nil
}

// number reads an AS number (RFC 6793; RFC 7607 and RFC 7300 keep 0 and the last one).
func number(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err == nil && (n == 0 || n == 1<<32-1) {
		err = strconv.ErrRange
	}
	return uint32(n), err
}

func (c *Config) equal(o *Config) bool {
	if c.Address != o.Address || c.AS != o.AS || c.Port != o.Port || len(c.Peers) != len(o.Peers) {
		return false
	}
	for i := range c.Peers {
		if c.Peers[i] != o.Peers[i] {
			return false
		}
	}
	return true
}
