// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// endsTable is our nftables table that keeps the packets of containers out of the host's own stack.
const endsTable = "contiv-ends"

// arpIn is NF_ARP_IN of linux/netfilter_arp.h.
const arpIn = 0

// endsPriority is before connection tracking (-200) and the rules of others at "raw" (-300).
const endsPriority = -310

// CloseEnds makes the host's stack drop everything that comes in by host ends of containers, and by NICs without an address of the host:
// beside a userspace datapath the kernel receives the same frames as the switch. The switch is not affected, since it reads before nftables
// does. A NIC with an address stays as it is, since the host uses it. Call it again when addresses change.
func (h *Host) CloseEnds(nics ...string) error {
	var closed []string
	for _, nic := range nics {
		spoken, err := h.hasAddress(nic)
		if err != nil {
			return err
		}
		if !spoken {
			closed = append(closed, nic)
		}
	}
	slices.Sort(closed)
	if before, set := h.ends.closedBefore(); set && slices.Equal(before, closed) {
		return nil
	}
	write := func(hook *nftables.ChainHook, priority *nftables.ChainPriority) func(*nftables.Conn, *nftables.Table) error {
		return func(c *nftables.Conn, table *nftables.Table) error {
			chain := c.AddChain(&nftables.Chain{Name: "closed", Table: table, Type: nftables.ChainTypeFilter, Hooknum: hook, Priority: priority})
			drop := func(from []expr.Any) {
				c.AddRule(&nftables.Rule{Table: table, Chain: chain, Exprs: append(from, verdict(expr.VerdictDrop)...)})
			}
			for _, group := range []uint32{GroupLive, GroupDeleting} {
				drop(meta(expr.MetaKeyIIFGROUP, expr.CmpOpEq, binaryutil.NativeEndian.PutUint32(group)))
			}
			for _, nic := range closed {
				drop(meta(expr.MetaKeyIIFNAME, expr.CmpOpEq, ifname(nic)))
			}
			return nil
		}
	}
	ip := tableID{nftables.TableFamilyINet, endsTable}
	if err := h.setTable(ip, write(nftables.ChainHookPrerouting, nftables.ChainPriorityRef(endsPriority))); err != nil {
		return fmt.Errorf("replace nftables table %s (does the kernel have nf_tables for inet?): %w", ip, err)
	}
	arp := tableID{nftables.TableFamilyARP, endsTable}
	err := h.setTable(arp, write(nftables.ChainHookRef(arpIn), nftables.ChainPriorityFilter))
	if err != nil && !errors.Is(err, unix.EAFNOSUPPORT) && !errors.Is(err, unix.EOPNOTSUPP) { // host ends have no ARP anyway
		return fmt.Errorf("replace nftables table %s: %w", arp, err)
	}
	h.ends.mu.Lock()
	defer h.ends.mu.Unlock()
	h.ends.closed, h.ends.set = closed, true
	return nil
}

// hasAddress reports whether an interface has an address beyond link scope. A missing interface has none.
func (h *Host) hasAddress(name string) (bool, error) {
	l, err := find(h.nl, name)
	if err != nil || l == nil {
		return false, err
	}
	have, err := h.nl.AddrList(l, netlink.FAMILY_ALL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return false, fmt.Errorf("list addresses of %s: %w", name, err)
	}
	return slices.ContainsFunc(have, func(a netlink.Addr) bool {
		at, ok := netip.AddrFromSlice(a.IP)
		return ok && !(at.Is6() && at.IsLinkLocalUnicast())
	}), nil
}

// keptEnds are the desired host ends, and the NICs that CloseEnds has closed.
type keptEnds struct {
	mu     sync.Mutex
	names  map[string]struct{}
	closed []string
	set    bool // CloseEnds has been called

	sixStays atomic.Bool // settings below /proc/sys cannot be written here
}

// closedBefore returns the NICs that CloseEnds has closed; set is false if it has not been called.
func (k *keptEnds) closedBefore() (nics []string, set bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.closed, k.set
}

func (k *keptEnds) keep(names ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, n := range names {
		k.names[n] = struct{}{}
	}
}

func (k *keptEnds) release(names ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, n := range names {
		delete(k.names, n)
	}
}

func (k *keptEnds) copy() map[string]struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.names)
}

// Ends are the host ends of containers' pairs. They are Kept.
type Ends struct{ h *Host }

// Ends are the host ends that were made or adopted, and not released since.
func (h *Host) Ends() Ends { return Ends{h} }

// Adopt registers existing interfaces as host ends, as needed by a process whose predecessor has made them.
func (e Ends) Adopt(names ...string) { e.h.ends.keep(names...) }

// Drift lists the host ends that others have opened to the host's stack, by name. It changes nothing and blocks for the kernel.
func (e Ends) Drift() (out []Drift, err error) {
	kept := e.h.ends.copy()
	if len(kept) == 0 {
		return nil, nil
	}
	links, err := e.h.endStates()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if l, ok := links[name]; ok && l.group != GroupDeleting {
			if was, want := l.open(e.h.ends.sixStays.Load()); len(want) > 0 {
				out = append(out, Drift{Name: name, Was: was, Want: want})
			}
		}
	}
	return out, nil
}

// Repair closes a host end that Drift has named. A released one stays as it is.
func (e Ends) Repair(name string) error {
	if _, ok := e.h.ends.copy()[name]; !ok {
		return nil
	}
	req := nl.NewNetlinkRequest(unix.RTM_SETLINK, unix.NLM_F_ACK)
	msg := nl.NewIfInfomsg(unix.AF_UNSPEC)
	msg.Flags, msg.Change = unix.IFF_NOARP, unix.IFF_NOARP
	req.AddData(msg)
	req.AddData(nl.NewRtAttr(unix.IFLA_IFNAME, nl.ZeroTerminated(name)))
	req.AddData(nl.NewRtAttr(unix.IFLA_GROUP, nl.Uint32Attr(GroupLive)))
	err := e.h.execute(req)
	if err == nil {
		err = e.h.closeEnd(name)
	}
	return wrap(gone(err), "close host end %s", name)
}
