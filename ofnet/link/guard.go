// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// guardTable is our nftables table for packets from networks to the host.
const guardTable = "contiv-guard"

// guardPriority is before the filters of others (NF_IP_PRI_FILTER), whose "accept" would change nothing: a refusal is final.
const guardPriority = -10

// Guard describes what networks may send to the host itself, by interfaces of GroupHost and those of Doors, and what the host may forward
// from there. Packets of connections that the host has opened, pings, and packets that the host's own rules redirect (DNAT) always pass.
// All others are refused.
type Guard struct {
	Services  []netip.AddrPort   // of the host, over TCP, open to everyone
	Doors     []GuardedInterface // further interfaces that are guarded
	Open      []Ports            // of the host and of Protected, open to everyone
	Hosts     []netip.Addr       // of other hosts in networks for hosts: they may reach everything on this one
	Known     []netip.Addr       // to which nothing is forwarded
	Protected []netip.Prefix     // to which nothing is forwarded
	// Control are ports to which nothing is forwarded, at any address: those of the cluster's control plane and of its tunnels. They are
	// also closed at the address of a machine that is not registered.
	Control []Ports
	// Meet opens the host to other hosts: by interfaces of GroupHost everything on this one may be reached, and at Known, except the ports
	// of Control and Shut.
	Meet bool
	Shut []Ports
}

// GuardedInterface is a guarded interface outside GroupHost, and the one TCP port that is open there.
type GuardedInterface struct {
	Name string
	Port uint16
}

// Ports are ports of a protocol, from First to Last.
type Ports struct {
	Protocol    uint8 // IPPROTO_TCP, IPPROTO_UDP or IPPROTO_SCTP
	First, Last uint16
}

var portProtocols = map[string]uint8{"tcp": unix.IPPROTO_TCP, "udp": unix.IPPROTO_UDP, "sctp": unix.IPPROTO_SCTP}

// ParsePorts reads "tcp/80" or "udp/4000-4010".
func ParsePorts(text string) (p Ports, err error) {
	name, numbers, _ := strings.Cut(text, "/")
	first, last, several := strings.Cut(numbers, "-")
	if !several {
		last = first
	}
	from, failed := strconv.ParseUint(first, 10, 16)
	to, failed2 := strconv.ParseUint(last, 10, 16)
	protocol, ok := portProtocols[name]
	if !ok || failed != nil || failed2 != nil || from == 0 || to < from {
		return p, fmt.Errorf("%q is not like tcp/80, udp/53 or tcp/8000-8010", text)
	}
	return Ports{protocol, uint16(from), uint16(to)}, nil
}

// Equal reports whether two are equal.
func (g *Guard) Equal(o *Guard) bool {
	return slices.Equal(g.Services, o.Services) && slices.Equal(g.Doors, o.Doors) && slices.Equal(g.Open, o.Open) &&
		slices.Equal(g.Hosts, o.Hosts) && slices.Equal(g.Known, o.Known) && slices.Equal(g.Protected, o.Protected) &&
		slices.Equal(g.Control, o.Control) && g.Meet == o.Meet && slices.Equal(g.Shut, o.Shut)
}

// SetGuard applies g as an nftables table of ours, which is replaced as a whole and at once; nil removes it. It changes no other rules.
func (h *Host) SetGuard(g *Guard) error {
	t := tableID{nftables.TableFamilyINet, guardTable}
	if g == nil {
		return wrap(h.setTable(t, nil), "remove nftables table %s", t)
	}
	return wrap(h.setTable(t, g.write), "replace nftables table %s (does the kernel have nf_tables with conntrack and reject for inet?)", t)
}

// write puts sets and chains into the batch of c.
func (g *Guard) write(c *nftables.Conn, table *nftables.Table) error {
	hosts, err := addressSets(c, table, "hosts", g.Hosts)
	if err != nil {
		return err
	}
	known, err := addressSets(c, table, "known", g.Known)
	if err != nil {
		return err
	}
	chain := func(name string, hook *nftables.ChainHook) func(...[]expr.Any) {
		ch := c.AddChain(&nftables.Chain{Name: name, Table: table, Type: nftables.ChainTypeFilter, Hooknum: hook,
			Priority: nftables.ChainPriorityRef(guardPriority)})
		return func(parts ...[]expr.Any) {
			c.AddRule(&nftables.Rule{Table: table, Chain: ch, Exprs: slices.Concat(parts...)})
		}
	}
	to := chain("input", nftables.ChainHookInput)
	elsewhere := [][]expr.Any{meta(expr.MetaKeyIIFGROUP, expr.CmpOpNeq, binaryutil.NativeEndian.PutUint32(GroupHost))}
	for _, d := range g.Doors {
		elsewhere = append(elsewhere, meta(expr.MetaKeyIIFNAME, expr.CmpOpNeq, ifname(d.Name)))
	}
	to(append(elsewhere, verdict(expr.VerdictAccept))...)
	g.common(to)
	for _, d := range g.Doors {
		to(meta(expr.MetaKeyIIFNAME, expr.CmpOpEq, ifname(d.Name)), protocol(unix.IPPROTO_TCP), ports(d.Port, d.Port), verdict(expr.VerdictAccept))
	}
	for _, s := range g.Services {
		to(address(s.Addr().BitLen(), netip.PrefixFrom(s.Addr(), s.Addr().BitLen()), true), protocol(unix.IPPROTO_TCP), ports(s.Port(), s.Port()), verdict(expr.VerdictAccept))
	}
	for _, set := range hosts {
		to(within(set, false), verdict(expr.VerdictAccept))
	}
	ours := meta(expr.MetaKeyIIFGROUP, expr.CmpOpEq, binaryutil.NativeEndian.PutUint32(GroupHost))
	if g.Meet {
		for _, p := range slices.Concat(g.Control, g.Shut) {
			refuse(to, ours, protocol(p.Protocol), ports(p.First, p.Last))
		}
		to(ours, verdict(expr.VerdictAccept))
	}
	refuse(to)

	through := chain("forward", nftables.ChainHookForward)
	through(meta(expr.MetaKeyIIFGROUP, expr.CmpOpNeq, binaryutil.NativeEndian.PutUint32(GroupHost)), verdict(expr.VerdictAccept))
	g.common(through)
	for _, p := range g.Control {
		refuse(through, protocol(p.Protocol), ports(p.First, p.Last))
	}
	for _, set := range known {
		if !g.Meet {
			refuse(through, within(set, true))
			continue
		}
		for _, p := range g.Shut {
			refuse(through, within(set, true), protocol(p.Protocol), ports(p.First, p.Last))
		}
	}
	for _, p := range g.Protected {
		refuse(through, address(p.Addr().BitLen(), p.Masked(), true))
	}
	return nil
}

// ctDNAT is IPS_DST_NAT: the connection's destination was translated.
const ctDNAT = 1 << 5

// common matches what passes on all paths.
func (g *Guard) common(rule func(...[]expr.Any)) {
	rule(conntrack(expr.CtKeySTATE, expr.CtStateBitESTABLISHED|expr.CtStateBitRELATED), verdict(expr.VerdictAccept))
	rule(conntrack(expr.CtKeySTATUS, ctDNAT), verdict(expr.VerdictAccept))
	rule(icmp(unix.NFPROTO_IPV4, unix.IPPROTO_ICMP, 8), verdict(expr.VerdictAccept))
	// Echo request (RFC 4443), multicast listener reports (RFC 3810), neighbour solicitation and advertisement (RFC 4861).
	for _, kind := range []byte{128, 130, 135, 136} {
		rule(icmp(unix.NFPROTO_IPV6, unix.IPPROTO_ICMPV6, kind), verdict(expr.VerdictAccept))
	}
	for _, o := range g.Open {
		rule(protocol(o.Protocol), ports(o.First, o.Last), verdict(expr.VerdictAccept))
	}
}

// refuse ends a TCP connection with a reset, which reaches the sender through any translation, and answers everything else with ICMP.
func refuse(rule func(...[]expr.Any), which ...[]expr.Any) {
	which = slices.Clip(which)
	rule(append(which, protocol(unix.IPPROTO_TCP), []expr.Any{&expr.Reject{Type: unix.NFT_REJECT_TCP_RST}})...)
	rule(append(which, []expr.Any{&expr.Reject{Type: unix.NFT_REJECT_ICMPX_UNREACH, Code: unix.NFT_REJECT_ICMPX_ADMIN_PROHIBITED}})...)
}

// maxElements is the maximum number of set elements in one message, whose length has 16 bits.
const maxElements = 512

// addressSets makes a set of the addresses of each family that has any.
func addressSets(c *nftables.Conn, table *nftables.Table, name string, addrs []netip.Addr) (sets []*nftables.Set, err error) {
	for _, f := range []struct {
		digit string
		kind  nftables.SetDatatype
		six   bool
	}{{"4", nftables.TypeIPAddr, false}, {"6", nftables.TypeIP6Addr, true}} {
		var elements []nftables.SetElement
		for _, a := range addrs {
			if a.Is6() == f.six {
				elements = append(elements, nftables.SetElement{Key: a.AsSlice()})
			}
		}
		if len(elements) == 0 {
			continue
		}
		set := &nftables.Set{Table: table, Name: name + f.digit, KeyType: f.kind}
		if err := c.AddSet(set, nil); err != nil {
			return nil, err
		}
		for piece := range slices.Chunk(elements, maxElements) {
			if err := c.SetAddElements(set, piece); err != nil {
				return nil, err
			}
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func verdict(k expr.VerdictKind) []expr.Any { return []expr.Any{&expr.Verdict{Kind: k}} }

func meta(key expr.MetaKey, op expr.CmpOp, data []byte) []expr.Any {
	return []expr.Any{&expr.Meta{Key: key, Register: 1}, &expr.Cmp{Op: op, Register: 1, Data: data}}
}

func ifname(name string) []byte {
	return append([]byte(name), make([]byte, unix.IFNAMSIZ-len(name))...)
}

func protocol(p uint8) []expr.Any { return meta(expr.MetaKeyL4PROTO, expr.CmpOpEq, []byte{p}) }

// ports matches the destination port, which TCP, UDP and SCTP have at the same offset.
func ports(first, last uint16) []expr.Any {
	load := &expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Offset: 2, Len: 2}
	if first == last {
		return []expr.Any{load, &expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: binaryutil.BigEndian.PutUint16(first)}}
	}
	return []expr.Any{load,
		&expr.Cmp{Op: expr.CmpOpGte, Register: 1, Data: binaryutil.BigEndian.PutUint16(first)},
		&expr.Cmp{Op: expr.CmpOpLte, Register: 1, Data: binaryutil.BigEndian.PutUint16(last)}}
}

func icmp(family, number, kind byte) []expr.Any {
	return slices.Concat(meta(expr.MetaKeyNFPROTO, expr.CmpOpEq, []byte{family}), protocol(number),
		[]expr.Any{&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Offset: 0, Len: 1},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{kind}}})
}

func conntrack(key expr.CtKey, bits uint32) []expr.Any {
	return []expr.Any{&expr.Ct{Key: key, Register: 1},
		&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: binaryutil.NativeEndian.PutUint32(bits), Xor: make([]byte, 4)},
		&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: make([]byte, 4)}}
}

// header is the offset of the source or the destination address in the IP header of a family.
func header(bits int, destination bool) (family byte, at, length uint32) {
	family, at, length = unix.NFPROTO_IPV4, 12, 4 // RFC 791 section 3.1
	if bits == 128 {
		family, at, length = unix.NFPROTO_IPV6, 8, 16 // RFC 8200 section 3
	}
	if destination {
		at += length
	}
	return family, at, length
}

// address matches one of the packet's addresses by a prefix.
func address(bits int, p netip.Prefix, destination bool) []expr.Any {
	family, at, length := header(bits, destination)
	return append(meta(expr.MetaKeyNFPROTO, expr.CmpOpEq, []byte{family}),
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: at, Len: length},
		&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: length, Mask: ipNet(p).Mask, Xor: make([]byte, length)},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: p.Addr().AsSlice()})
}

// within matches one of the packet's addresses by a set.
func within(set *nftables.Set, destination bool) []expr.Any {
	bits := 32
	if set.KeyType == nftables.TypeIP6Addr {
		bits = 128
	}
	family, at, length := header(bits, destination)
	return append(meta(expr.MetaKeyNFPROTO, expr.CmpOpEq, []byte{family}),
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: at, Len: length},
		&expr.Lookup{SourceRegister: 1, SetName: set.Name, SetID: set.ID})
}
