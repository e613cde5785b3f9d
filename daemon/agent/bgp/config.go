// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/record"
)

// Config is the configuration of a Speaker.
type Config struct {
	Address  netip.Prefix // own address on the link to the peers, with its length; IPv4
	Address6 netip.Prefix // the same for IPv6; invalid: no routes of IPv6 are exchanged
	AS       uint32
	Port     uint16 // TCP, at which to listen; 0: 179
	Peers    []Peer
	Hops     int  // from which peers may send (RFC 5082); 0: any
	Prefixes int  // of a family, that a peer may announce; 0: record.PrefixesMost
	Transit  bool // announce the routes of one peer to the others; otherwise only own prefixes are announced
	// Restarting means that this speaker replaces one that ended a moment ago, and that packets were forwarded all the while (RFC 4724,
	// section 4.1): peers keep its routes until it has announced them again.
	Restarting bool
}

// Peer is a router at the other end of a session.
type Peer struct {
	Address netip.Addr
	AS      uint32
	Port    uint16 // TCP, to connect to; 0: 179
	// Password signs the segments of the session (TCP MD5, RFC 2385); "": they are not signed.
	Password string
}

// String is the peer in a log.
func (p Peer) String() string { return fmt.Sprintf("%s AS %d", p.Address, p.AS) }

// Parse parses a router's record. A record without a neighbour gives a Config without peers.
func Parse(b *record.BGP) (Config, error) {
	r, err := b.Routing()
	if err != nil {
		return Config{}, fmt.Errorf("router of host %s: %w", b.Hostname, err)
	}
	c := Config{Address: r.Address, Address6: r.Address6, AS: r.AS, Hops: r.Hops, Prefixes: r.Prefixes}
	for _, n := range r.Neighbours {
		c.Peers = append(c.Peers, Peer{Address: n.Address, AS: n.AS, Password: n.Password})
	}
	return c, nil
}

// equal reports whether two configurations have the same sessions.
func (c *Config) equal(o *Config) bool {
	return c.Address == o.Address && c.Address6 == o.Address6 && c.AS == o.AS && c.Port == o.Port && c.Hops == o.Hops && c.Prefixes == o.Prefixes && c.Transit == o.Transit && slices.Equal(c.Peers, o.Peers)
}

// onLink reports whether an address is on the link to the peers.
func (c *Config) onLink(a netip.Addr) bool {
	return c.Address.Contains(a) || c.Address6.IsValid() && c.Address6.Contains(a)
}
