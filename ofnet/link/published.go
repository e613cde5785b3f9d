// SPDX-License-Identifier: Apache-2.0

package link

import (
	"net/netip"
	"slices"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// publishedTable is our own nftables table for the host's ports that lead to containers.
const publishedTable = "contiv-ports"

// publishedBefore is the lead of our translations over others: a port that leads to a container belongs to no one else.
const publishedBefore = 10

// Published is a port of the host that leads to a container.
type Published struct {
	Protocol uint8          // IPPROTO_TCP, IPPROTO_UDP or IPPROTO_SCTP
	From     netip.AddrPort // of the host; the unspecified address of a family means all addresses of the host
	To       netip.AddrPort // at an interface of GroupHost
	Own      bool           // only for connections of the host's own processes, in place of a port for all
}

// Translation describes how the host's ports lead to containers.
type Translation struct {
	Ports []Published // in any order; of two with the same Protocol and From the first counts
	// Private are the subnets behind interfaces of GroupHost. Packets from there, or from the host's loopback addresses, get the address of
	// the same index in Own; all other clients keep theirs.
	Private []netip.Prefix
	Own     []netip.Addr
	// Clients are further addresses that are translated: the container would answer them by a path that bypasses the host.
	Clients []netip.Addr
	// Kept are addresses at interfaces of GroupHost that answer everyone by way of the host: Clients keep their address towards these.
	Kept []netip.Addr
	// Hidden are subnets of containers that answer everyone by a path that bypasses the host: towards these, every client gets the host's
	// address.
	Hidden []Hidden
}

// Hidden is a subnet of containers, with the host's address that they see for all clients.
type Hidden struct {
	Prefix netip.Prefix
	By     netip.Addr
}

// Equal reports whether two are equal.
func (t *Translation) Equal(o *Translation) bool {
	return slices.Equal(t.Ports, o.Ports) && slices.Equal(t.Private, o.Private) && slices.Equal(t.Own, o.Own) &&
		slices.Equal(t.Clients, o.Clients) && slices.Equal(t.Kept, o.Kept) && slices.Equal(t.Hidden, o.Hidden)
}

// SetPublished makes the host's ports lead to containers, with an nftables table of ours that is replaced as a whole and at once; without
// ports it is removed. Open TCP connections keep their translation.
func (h *Host) SetPublished(t Translation) error {
	id := tableID{nftables.TableFamilyINet, publishedTable}
	if len(t.Ports) == 0 {
		return wrap(h.setTable(id, nil), "remove nftables table %s", id)
	}
	return wrap(h.setTable(id, t.write), "replace nftables table %s (does the kernel have nf_tables with NAT for inet, maps and fib?)", id)
}

// write adds maps and chains to the batch of c.
func (t *Translation) write(c *nftables.Conn, table *nftables.Table) error {
	chain := func(name string, hook *nftables.ChainHook, priority nftables.ChainPriority) *nftables.Chain {
		return c.AddChain(&nftables.Chain{Name: name, Table: table, Type: nftables.ChainTypeNAT, Hooknum: hook,
			Priority: nftables.ChainPriorityRef(priority - publishedBefore)})
	}
	arriving := []*nftables.Chain{
		chain("prerouting", nftables.ChainHookPrerouting, *nftables.ChainPriorityNATDest),
		chain("output", nftables.ChainHookOutput, *nftables.ChainPriorityNATDest),
	}
	// A port of one address precedes the same port of all addresses, and ports for the host's own processes precede those for all.
	for _, m := range []publishedMap{{"one4", 32, true, false}, {"one6", 128, true, false}, {"own4", 32, false, true}, {"own6", 128, false, true},
		{"all4", 32, false, false}, {"all6", 128, false, false}} {
		elements := m.elements(t.Ports)
		if len(elements) == 0 {
			continue
		}
		set := m.set(table)
		if err := c.AddSet(set, nil); err != nil {
			return err
		}
		for piece := range slices.Chunk(elements, maxElements) {
			if err := c.SetAddElements(set, piece); err != nil {
				return err
			}
		}
		for _, ch := range arriving {
			if m.own && ch.Name != "output" {
				continue
			}
			c.AddRule(&nftables.Rule{Table: table, Chain: ch, Exprs: m.rule(set)})
		}
	}
	leaving := chain("postrouting", nftables.ChainHookPostrouting, *nftables.ChainPriorityNATSource)
	for _, h := range t.Hidden {
		c.AddRule(&nftables.Rule{Table: table, Chain: leaving, Exprs: sourceNAT(address(h.Prefix.Addr().BitLen(), h.Prefix.Masked(), true), h.By)})
	}
	for i, p := range t.Private {
		loopback := netip.MustParsePrefix("127.0.0.0/8")
		if p.Addr().Is6() {
			loopback = netip.MustParsePrefix("::1/128")
		}
		for _, from := range []netip.Prefix{p, loopback} {
			c.AddRule(&nftables.Rule{Table: table, Chain: leaving, Exprs: sourceNAT(address(p.Addr().BitLen(), from.Masked(), false), t.Own[i])})
		}
	}
	for _, a := range t.Kept {
		c.AddRule(&nftables.Rule{Table: table, Chain: leaving, Exprs: append(address(a.BitLen(), netip.PrefixFrom(a, a.BitLen()), true), verdict(expr.VerdictAccept)...)})
	}
	clients, err := addressSets(c, table, "clients", t.Clients)
	if err != nil {
		return err
	}
	for _, set := range clients {
		i := slices.IndexFunc(t.Own, func(a netip.Addr) bool { return a.Is6() == (set.KeyType == nftables.TypeIP6Addr) })
		if i >= 0 {
			c.AddRule(&nftables.Rule{Table: table, Chain: leaving, Exprs: sourceNAT(within(set, false), t.Own[i])})
		}
	}
	return nil
}

// sourceNAT gives matching packets to a container another source address.
func sourceNAT(which []expr.Any, to netip.Addr) []expr.Any {
	family, _, _ := header(to.BitLen(), false)
	return slices.Concat(meta(expr.MetaKeyOIFGROUP, expr.CmpOpEq, binaryutil.NativeEndian.PutUint32(GroupHost)),
		conntrack(expr.CtKeySTATUS, ctDNAT), which,
		[]expr.Any{&expr.Immediate{Register: 1, Data: to.AsSlice()},
			&expr.NAT{Type: expr.NATTypeSourceNAT, Family: uint32(family), RegAddrMin: 1}})
}

// publishedMap maps a protocol, a port and, if exact, an address of the host to a container's address and port.
type publishedMap struct {
	name  string
	bits  int // of an address
	exact bool
	own   bool // of ports for the host's own processes
}

// Registers of four bytes; a value of any length starts in one, and parts of a key follow one another (nft(8), concatenations).
const (
	regProto = unix.NFT_REG32_00
	regPort  = unix.NFT_REG32_01
	regAddr  = unix.NFT_REG32_02
)

func (m *publishedMap) set(table *nftables.Table) *nftables.Set {
	kind := nftables.TypeIPAddr
	if m.bits == 128 {
		kind = nftables.TypeIP6Addr
	}
	key := []nftables.SetDatatype{nftables.TypeInetProto, nftables.TypeInetService}
	if m.exact {
		key = append(key, kind)
	}
	return &nftables.Set{Table: table, Name: m.name, IsMap: true, Concatenation: true,
		KeyType: nftables.MustConcatSetType(key...), DataType: nftables.MustConcatSetType(kind, nftables.TypeInetService)}
}

// elements returns the entries of m; of several for one key the first.
func (m *publishedMap) elements(ports []Published) (out []nftables.SetElement) {
	seen := map[string]bool{}
	for _, p := range ports {
		if p.From.Addr().BitLen() != m.bits || p.From.Addr().IsUnspecified() == m.exact || p.Own != m.own {
			continue
		}
		key := padded([]byte{p.Protocol}, binaryutil.BigEndian.PutUint16(p.From.Port()))
		if m.exact {
			key = append(key, p.From.Addr().AsSlice()...)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, nftables.SetElement{Key: key, Val: padded(p.To.Addr().AsSlice(), binaryutil.BigEndian.PutUint16(p.To.Port()))})
		}
	}
	return out
}

// padded joins parts, each of which fills whole registers.
func padded(parts ...[]byte) (out []byte) {
	for _, p := range parts {
		out = append(out, p...)
		out = append(out, make([]byte, -len(p)&3)...)
	}
	return out
}

// rule translates packets to an address of the host that are in m.
func (m *publishedMap) rule(set *nftables.Set) []expr.Any {
	family, at, length := header(m.bits, true)
	out := slices.Concat(
		[]expr.Any{&expr.Fib{Register: 1, ResultADDRTYPE: true, FlagDADDR: true},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: binaryutil.NativeEndian.PutUint32(unix.RTN_LOCAL)}},
		meta(expr.MetaKeyNFPROTO, expr.CmpOpEq, []byte{family}),
		[]expr.Any{&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: regProto},
			&expr.Payload{DestRegister: regPort, Base: expr.PayloadBaseTransportHeader, Offset: 2, Len: 2}})
	if m.exact {
		out = append(out, &expr.Payload{DestRegister: regAddr, Base: expr.PayloadBaseNetworkHeader, Offset: at, Len: length})
	}
	return append(out,
		&expr.Lookup{SourceRegister: regProto, DestRegister: regProto, IsDestRegSet: true, SetName: set.Name, SetID: set.ID},
		&expr.NAT{Type: expr.NATTypeDestNAT, Family: uint32(family), RegAddrMin: regProto, RegProtoMin: regProto + length/4})
}
