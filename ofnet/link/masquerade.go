package link

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
)

// masqueradeTable is our own nftables table; nobody else's rules are touched.
const masqueradeTable = "contiv"

// Masquerade lets what comes from the private subnet leave the host with the host's own address, by a table of ours in
// nftables; an invalid prefix removes the table. Between interfaces of GroupHost nothing is passed on: it would lead
// from one tenant to another. The table is replaced as a whole and at once; open connections keep their translation.
func (h *Host) Masquerade(private netip.Prefix) error {
	c, err := nftables.New(nftables.WithNetNSFd(h.ns.fd))
	if err != nil {
		return fmt.Errorf("open nftables: %w", err)
	}
	// Deleting what may not be there: make it first.
	table := c.AddTable(&nftables.Table{Family: nftables.TableFamilyIPv4, Name: masqueradeTable})
	c.DelTable(table)
	if private.IsValid() {
		masquerade(c, private.Masked())
	}
	if err := c.Flush(); err != nil {
		return fmt.Errorf("replace nftables table %s (does the kernel have nf_tables with NAT?): %w", masqueradeTable, err)
	}
	return nil
}

func masquerade(c *nftables.Conn, private netip.Prefix) {
	table := c.AddTable(&nftables.Table{Family: nftables.TableFamilyIPv4, Name: masqueradeTable})
	out := c.AddChain(&nftables.Chain{Name: "postrouting", Table: table, Type: nftables.ChainTypeNAT,
		Hooknum: nftables.ChainHookPostrouting, Priority: nftables.ChainPriorityNATSource})
	through := c.AddChain(&nftables.Chain{Name: "forward", Table: table, Type: nftables.ChainTypeFilter,
		Hooknum: nftables.ChainHookForward, Priority: nftables.ChainPriorityFilter})
	const sourceAt, length = 12, 4 // of the address in the IPv4 header (RFC 791 section 3.1)
	ours := binaryutil.NativeEndian.PutUint32(GroupHost)
	c.AddRule(&nftables.Rule{Table: table, Chain: out, Exprs: []expr.Any{
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: sourceAt, Len: length},
		&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: length, Mask: net.CIDRMask(private.Bits(), 32), Xor: make([]byte, length)},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: private.Addr().AsSlice()},
		&expr.Meta{Key: expr.MetaKeyOIFGROUP, Register: 1},
		&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: ours},
		&expr.Masq{},
	}})
	c.AddRule(&nftables.Rule{Table: table, Chain: through, Exprs: []expr.Any{
		&expr.Meta{Key: expr.MetaKeyIIFGROUP, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: ours},
		&expr.Meta{Key: expr.MetaKeyOIFGROUP, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: ours},
		&expr.Verdict{Kind: expr.VerdictDrop},
	}})
}
