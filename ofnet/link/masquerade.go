// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"net"
	"net/netip"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// masqueradeTable is our own nftables table; no other rules are changed.
const masqueradeTable = "contiv"

// Masquerade gives packets from a private subnet that leave the host the host's own address, with an nftables table of ours for the family
// of the subnet; if wanted is invalid, the table is removed. The host forwards nothing between interfaces of GroupHost, since that would
// lead from one tenant to another, except packets that a port of the host leads to a container. The table is replaced as a whole and at
// once; open connections keep their translation.
func (h *Host) Masquerade(private netip.Prefix, wanted bool) error {
	f := nftFamily{nftables.TableFamilyIPv4, 12, 4} // RFC 791 section 3.1
	if private.Addr().Is6() {
		f = nftFamily{nftables.TableFamilyIPv6, 8, 16} // RFC 8200 section 3
	}
	t := tableID{f.family, masqueradeTable}
	if !wanted {
		err := h.setTable(t, nil)
		if errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EOPNOTSUPP) {
			return nil // a kernel without the family has no such table
		}
		return wrap(err, "remove nftables table %s", t)
	}
	err := h.setTable(t, func(c *nftables.Conn, table *nftables.Table) error {
		f.masquerade(c, table, private.Masked())
		return nil
	})
	return wrap(err, "replace nftables table %s (does the kernel have nf_tables with NAT?)", t)
}

// nftFamily is a family of nftables, with the offset of the source address in its header.
type nftFamily struct {
	family nftables.TableFamily
	sourceAt,
	length uint32
}

func (f *nftFamily) masquerade(c *nftables.Conn, table *nftables.Table, private netip.Prefix) {
	out := c.AddChain(&nftables.Chain{Name: "postrouting", Table: table, Type: nftables.ChainTypeNAT,
		Hooknum: nftables.ChainHookPostrouting, Priority: nftables.ChainPriorityNATSource})
	through := c.AddChain(&nftables.Chain{Name: "forward", Table: table, Type: nftables.ChainTypeFilter,
		Hooknum: nftables.ChainHookForward, Priority: nftables.ChainPriorityFilter})
	ours := binaryutil.NativeEndian.PutUint32(GroupHost)
	c.AddRule(&nftables.Rule{Table: table, Chain: out, Exprs: []expr.Any{
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: f.sourceAt, Len: f.length},
		&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: f.length, Mask: net.CIDRMask(private.Bits(), private.Addr().BitLen()), Xor: make([]byte, f.length)},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: private.Addr().AsSlice()},
		&expr.Meta{Key: expr.MetaKeyOIFGROUP, Register: 1},
		&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: ours},
		&expr.Masq{},
	}})
	c.AddRule(&nftables.Rule{Table: table, Chain: through, Exprs: append(conntrack(expr.CtKeySTATUS, ctDNAT), verdict(expr.VerdictAccept)...)})
	c.AddRule(&nftables.Rule{Table: table, Chain: through, Exprs: []expr.Any{
		&expr.Meta{Key: expr.MetaKeyIIFGROUP, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: ours},
		&expr.Meta{Key: expr.MetaKeyOIFGROUP, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: ours},
		&expr.Verdict{Kind: expr.VerdictDrop},
	}})
}
