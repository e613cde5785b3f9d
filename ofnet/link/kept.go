// SPDX-License-Identifier: Apache-2.0

package link

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// tableID names a table of nftables.
type tableID struct {
	family nftables.TableFamily
	name   string
}

// String is the table as nft(8) names it.
func (t tableID) String() string {
	switch t.family {
	case nftables.TableFamilyIPv4:
		return "ip " + t.name
	case nftables.TableFamilyIPv6:
		return "ip6 " + t.name
	case nftables.TableFamilyARP:
		return "arp " + t.name
	}
	return "inet " + t.name
}

// Drift is a thing that is not as the Host has set it.
type Drift struct {
	Name      string
	Gone      bool     // it does not exist
	Was, Want []string // the differences, "arp=on"; if Gone, only Want
}

// keptTable is a table as it was last set.
type keptTable struct {
	write func(*nftables.Conn, *nftables.Table) error
	sum   [sha256.Size]byte // of the kernel's listing at that time; zero: unknown, which counts as changed
}

// keptTables are the nftables tables that a Host has set: changes by others are drift.
type keptTables struct {
	mu   sync.Mutex
	kept map[tableID]keptTable
}

// setTable replaces a table of ours as a whole and at once; a nil write removes it. It changes no other rules. It blocks for the kernel.
func (h *Host) setTable(t tableID, write func(*nftables.Conn, *nftables.Table) error) error {
	h.tables.mu.Lock()
	defer h.tables.mu.Unlock()
	return h.writeTable(t, write)
}

// writeTable is setTable with the lock held.
func (h *Host) writeTable(t tableID, write func(*nftables.Conn, *nftables.Table) error) error {
	c, end, err := h.ns.nftables()
	if err != nil {
		return err
	}
	defer end()
	if write == nil {
		delete(h.tables.kept, t)
		if there, err := hasTable(c, t); err != nil || !there {
			return err // a failed change causes no notification
		}
	}
	before, err := h.generation()
	if err != nil {
		return err
	}
	// A table must exist to be deleted: create it first.
	c.DelTable(c.AddTable(&nftables.Table{Family: t.family, Name: t.name}))
	if write != nil {
		if err := write(c, c.AddTable(&nftables.Table{Family: t.family, Name: t.name})); err != nil {
			return fmt.Errorf("write nftables table %s: %w", t, err)
		}
	}
	if err := c.Flush(); err != nil {
		return err
	}
	if write == nil {
		return nil
	}
	// The listing is of our own table if nothing else has changed since: a transaction increments the generation by one.
	k := keptTable{write: write}
	sum, _, err := tableSum(c, t)
	if after, failed := h.generation(); err == nil && failed == nil && after == before+1 {
		k.sum = sum
	}
	h.tables.kept[t] = k
	return nil
}

// Tables are the nftables tables that a Host has set. They are Kept.
type Tables struct{ h *Host }

// Tables are the tables of SetGuard, Masquerade, SetPublished and CloseEnds.
func (h *Host) Tables() Tables { return Tables{h} }

// Drift lists the tables that others have removed or changed since they were set, by name. It changes nothing and blocks for the kernel.
func (t Tables) Drift() (out []Drift, err error) {
	own := &t.h.tables
	own.mu.Lock()
	defer own.mu.Unlock()
	if len(own.kept) == 0 {
		return nil, nil
	}
	c, end, err := t.h.ns.nftables()
	if err != nil {
		return nil, err
	}
	defer end()
	for _, id := range own.ids() {
		sum, there, failed := tableSum(c, id)
		switch {
		case failed != nil:
			err = errors.Join(err, fmt.Errorf("list nftables table %s: %w", id, failed))
		case !there:
			out = append(out, Drift{Name: id.String(), Gone: true, Want: []string{"all its rules"}})
		case sum != own.kept[id].sum:
			out = append(out, Drift{Name: id.String(), Was: []string{"rules of others"}, Want: []string{"its own rules only"}})
		}
	}
	return out, err
}

// Repair sets a table that Drift has named to its last value. It ignores a table that is no longer desired.
func (t Tables) Repair(name string) error {
	own := &t.h.tables
	own.mu.Lock()
	defer own.mu.Unlock()
	for _, id := range own.ids() {
		if id.String() == name {
			return wrap(t.h.writeTable(id, own.kept[id].write), "replace nftables table %s", id)
		}
	}
	return nil
}

// ids returns the tables by name. The caller holds the lock.
func (k *keptTables) ids() []tableID {
	return slices.SortedFunc(maps.Keys(k.kept), func(a, b tableID) int { return bytes.Compare([]byte(a.String()), []byte(b.String())) })
}

// generation counts the transactions of nftables in the namespace (NFT_MSG_GETGEN in linux/netfilter/nf_tables.h).
func (h *Host) generation() (id uint32, err error) {
	sockets, err := h.ns.socket(unix.NETLINK_NETFILTER)
	if err != nil {
		return 0, err
	}
	defer sockets[unix.NETLINK_NETFILTER].Close()
	req := nl.NewNetlinkRequest(unix.NFNL_SUBSYS_NFTABLES<<8|unix.NFT_MSG_GETGEN, 0)
	req.AddData(&nl.Nfgenmsg{NfgenFamily: unix.AF_UNSPEC, Version: nl.NFNETLINK_V0})
	req.Sockets = sockets
	answer, err := req.Execute(unix.NETLINK_NETFILTER, 0)
	if err != nil {
		return 0, fmt.Errorf("read the generation of nftables: %w", err)
	}
	for _, m := range answer {
		attrs, err := nl.ParseRouteAttr(m[nl.SizeofNfgenmsg:])
		if err != nil {
			return 0, fmt.Errorf("read the generation of nftables: %w", err)
		}
		for _, a := range attrs {
			if a.Attr.Type&nl.NLA_TYPE_MASK == unix.NFTA_GEN_ID && len(a.Value) == 4 {
				return binary.BigEndian.Uint32(a.Value), nil
			}
		}
	}
	return 0, errors.New("read the generation of nftables: the answer has none")
}

// hasTable reports whether a table exists.
func hasTable(c *nftables.Conn, t tableID) (bool, error) {
	tables, err := c.ListTablesOfFamily(t.family)
	if err != nil {
		return false, fmt.Errorf("list nftables: %w", err)
	}
	return slices.ContainsFunc(tables, func(o *nftables.Table) bool { return o.Name == t.name }), nil
}

// tableSum is a hash of a table's content without counters; there is false if the table does not exist.
func tableSum(c *nftables.Conn, t tableID) (sum [sha256.Size]byte, there bool, err error) {
	tables, err := c.ListTablesOfFamily(t.family)
	if err != nil {
		return sum, false, err
	}
	at := slices.IndexFunc(tables, func(o *nftables.Table) bool { return o.Name == t.name })
	if at < 0 {
		return sum, false, nil
	}
	table := tables[at]
	w := sha256.New()
	fmt.Fprintln(w, table.Flags)
	chains, err := c.ListChainsOfTableFamily(t.family)
	if err != nil {
		return sum, true, err
	}
	for _, ch := range chains {
		if ch.Table.Name != t.name {
			continue
		}
		fmt.Fprintln(w, "chain", ch.Name, ch.Type, pointed(ch.Hooknum), pointed(ch.Priority), pointed(ch.Policy))
		rules, err := c.GetRules(table, ch)
		if err != nil {
			return sum, true, err
		}
		for _, r := range rules {
			fmt.Fprintln(w, "rule", r.Handle)
			for _, e := range r.Exprs {
				if _, counts := e.(*expr.Counter); counts {
					continue
				}
				text, err := expr.Marshal(byte(t.family), e)
				if err != nil {
					return sum, true, err
				}
				fmt.Fprintf(w, "%x\n", text)
			}
		}
	}
	sets, err := c.GetSets(table)
	if err != nil {
		return sum, true, err
	}
	for _, s := range sets {
		elements, err := c.GetSetElements(s)
		if err != nil {
			return sum, true, err
		}
		slices.SortFunc(elements, func(a, b nftables.SetElement) int { return bytes.Compare(a.Key, b.Key) })
		fmt.Fprintln(w, "set", s.Name, len(elements))
		for _, e := range elements {
			fmt.Fprintf(w, "%x %x %v\n", e.Key, e.Val, e.IntervalEnd)
		}
	}
	return [sha256.Size]byte(w.Sum(nil)), true, nil
}

// pointed returns the value of a pointer as text; nil is "-".
func pointed[T any](p *T) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprint(*p)
}
