// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Link groups (IFLA_GROUP) of host ends: in use, and to be deleted.
const (
	GroupLive     = 0xc0471
	GroupDeleting = 0xc0472
)

// Errors that callers handle.
var (
	// ErrNoNamespace means that the container's network namespace is gone.
	ErrNoNamespace = errors.New("network namespace does not exist")
	// ErrTaken means that the name of the desired interface is used by something else.
	ErrTaken = errors.New("interface name is in use")
	// ErrDiffers means that an interface is not as it should be.
	ErrDiffers = errors.New("interface is not as it was made")
)

// atOnce is the number of pairs handled in parallel. The kernel changes links one at a time anyway, under one lock; more would only add
// threads that wait for it, beside ovs-vswitchd, which needs it too.
const atOnce = 4

// Host is the network namespace that holds the host ends of all pairs: the one that ovs-vswitchd lives in.
// All methods are safe for concurrent use.
type Host struct {
	ns     *Namespace
	nl     *netlink.Handle
	reaper *netlink.Handle
	maker  map[int]*nl.SocketHandle // the socket that veth pairs are made by
	slots  chan struct{}            // a token for each operation in progress
	ledger Ledger

	tables   keptTables
	settings keptSettings
	ends     keptEnds
	changes  *bell // rung when kept state changes
	moves    *bell // rung when addresses change

	mu        sync.Mutex
	scheduled []string
	reaping   []string // being deleted
	queued    uint64   // number scheduled for deletion so far
	reaped    uint64   // number deleted so far
	urgent    bool
	wake      chan struct{} // with a buffer of one
	changed   chan struct{} // closed when reaped grows
}

// Open opens the namespace at path, "" for the process's own.
func Open(path string) (*Host, error) {
	ns, err := OpenNamespace(path)
	if err != nil {
		return nil, err
	}
	h := &Host{ns: ns, slots: make(chan struct{}, atOnce), wake: make(chan struct{}, 1), changed: make(chan struct{}),
		tables: keptTables{kept: map[tableID]keptTable{}}, settings: keptSettings{kept: map[string]keptSetting{}}, ends: keptEnds{names: map[string]struct{}{}}, changes: newBell(), moves: newBell()}
	if h.nl, err = h.ns.netlink(); err == nil {
		h.reaper, err = h.ns.netlink()
	}
	if err == nil {
		h.maker, err = h.ns.socket(unix.NETLINK_ROUTE)
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// Close releases the namespace and its sockets.
func (h *Host) Close() {
	for _, nl := range []*netlink.Handle{h.nl, h.reaper} {
		if nl != nil {
			nl.Close()
		}
	}
	for _, s := range h.maker {
		s.Close()
	}
	h.ns.Close()
}

// netlink opens a rtnetlink socket inside the namespace.
func (n *Namespace) netlink() (*netlink.Handle, error) {
	var h *netlink.Handle
	err := n.Do(func() (err error) {
		h, err = netlink.NewHandle(unix.NETLINK_ROUTE)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open netlink in %s: %w", n, err)
	}
	return h, nil
}

// socket opens a netlink socket of a protocol inside the namespace, for requests that package netlink does not support.
func (n *Namespace) socket(protocol int) (map[int]*nl.SocketHandle, error) {
	var s *nl.NetlinkSocket
	err := n.Do(func() (err error) { // GetNetlinkSocketAt with a namespace drops the errno of its own failures
		s, err = nl.GetNetlinkSocketAt(netns.None(), netns.None(), protocol)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open netlink in %s: %w", n, err)
	}
	return map[int]*nl.SocketHandle{protocol: {Socket: s}}, nil
}

// container opens a container's namespace; it must not be the host's own.
func (h *Host) container(path string) (*Namespace, error) {
	if path == "" {
		return nil, fmt.Errorf("%w: no path given", ErrNoNamespace)
	}
	ns, err := OpenNamespace(path)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) {
		return nil, fmt.Errorf("%w: %s", ErrNoNamespace, path)
	}
	if err != nil {
		return nil, err
	}
	if ns.Same(h.ns) {
		ns.Close()
		return nil, fmt.Errorf("network namespace %s is the host's own", path)
	}
	return ns, nil
}

// Create makes the pair, both ends up, the peer inside the container or, down, on the host. An existing pair is only set up; a host end of
// ours that leads elsewhere is replaced, unless its peer was to stay and a runtime has moved it. It returns ErrNoNamespace if the container
// is gone and ErrTaken if something else has one of the names.
func (h *Host) Create(p Pair) error {
	ns := h.ns
	if !p.Stays {
		var err error
		if ns, err = h.container(p.Netns); err != nil {
			return err
		}
		defer ns.Close()
	}
	if h.cancelDelete(p.Host) {
		if err := h.Delete(p.Host); err != nil {
			return err
		}
	}
	h.slots <- struct{}{}
	defer func() { <-h.slots }()
	err := h.makeVeth(p, ns)
	if errors.Is(err, unix.EEXIST) {
		again, err := h.reconcile(ns, p)
		if err != nil || !again {
			return err
		}
		return wrap(h.makeVeth(p, ns), "make veth %s to %s in %s", p.Host, p.IfName, p.Netns)
	}
	return wrap(err, "make veth %s to %s in %s", p.Host, p.IfName, p.Netns)
}

// reconcile checks what blocks a new pair; again is true if it has been removed.
func (h *Host) reconcile(ns *Namespace, p Pair) (again bool, err error) {
	inside, err := ns.netlink()
	if err != nil {
		return false, err
	}
	defer inside.Close()
	outer, err := find(h.nl, p.Host)
	if err != nil {
		return false, err
	}
	inner, err := find(inside, p.IfName)
	if err != nil {
		return false, err
	}
	if outer != nil && outer.Attrs().Group != GroupLive && outer.Attrs().Group != GroupDeleting {
		return false, fmt.Errorf("%w: %s on the host belongs to someone else", ErrTaken, p.Host)
	}
	if p.Stays && inner == nil && elsewhere(outer) {
		return false, nil // the runtime has moved it
	}
	if inner != nil && paired(outer, inner) && outer.Attrs().Group == GroupLive {
		h.ends.keep(p.Host)
		return false, wrap(h.nl.LinkSetUp(outer), "set %s up", p.Host)
	}
	if inner != nil && !paired(outer, inner) {
		// The end of an older pair of ours may be deleted, but nothing else.
		peer, err := h.nl.LinkByIndex(inner.Attrs().ParentIndex)
		if err != nil || inner.Type() != "veth" || peer.Attrs().ParentIndex != inner.Attrs().Index ||
			(peer.Attrs().Group != GroupLive && peer.Attrs().Group != GroupDeleting) {
			return false, fmt.Errorf("%w: %s exists in %s", ErrTaken, p.IfName, p.Netns)
		}
		if err := gone(h.nl.LinkDel(peer)); err != nil {
			return false, wrap(err, "delete old veth %s", peer.Attrs().Name)
		}
	}
	if outer != nil {
		if err := gone(h.nl.LinkDel(outer)); err != nil {
			return false, wrap(err, "delete old veth %s", p.Host)
		}
	}
	return true, nil
}

// Delete deletes a host end of ours, and with it the pair, at once. It blocks for about 20 ms; ScheduleDelete does not.
func (h *Host) Delete(name string) error {
	h.ends.release(name)
	return remove(h.nl, name)
}

// remove deletes a host end of ours with nl, which it blocks for the same time.
func remove(nl *netlink.Handle, name string) error {
	l, err := find(nl, name)
	if err != nil || l == nil {
		return err
	}
	if g := l.Attrs().Group; g != GroupLive && g != GroupDeleting {
		return nil
	}
	return wrap(gone(nl.LinkDel(l)), "delete veth %s", name)
}

// Names returns the names of all live host ends.
func (h *Host) Names() ([]string, error) {
	// A list that changed while it was read may be incomplete, but its entries are correct.
	links, err := h.nl.LinkList()
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, fmt.Errorf("list links: %w", err)
	}
	var out []string
	for _, l := range links {
		if l.Attrs().Group == GroupLive {
			out = append(out, l.Attrs().Name)
		}
	}
	return out, nil
}

// Exists reports whether a live host end of that name exists.
func (h *Host) Exists(name string) (bool, error) {
	l, err := find(h.nl, name)
	return l != nil && l.Attrs().Group == GroupLive, err
}

// Alias returns the alias of a live host end (Pair.Alias); exists is false if there is none of that name.
func (h *Host) Alias(name string) (alias string, exists bool, err error) {
	l, err := find(h.nl, name)
	if err != nil || l == nil || l.Attrs().Group != GroupLive {
		return "", false, err
	}
	return l.Attrs().Alias, true, nil
}

// SetMTU sets the MTU of a host end; a missing one is success.
func (h *Host) SetMTU(name string, mtu int) error {
	l, err := find(h.nl, name)
	if err != nil || l == nil || l.Attrs().MTU == mtu {
		return err
	}
	return wrap(gone(h.nl.LinkSetMTU(l, mtu)), "set MTU of %s", name)
}

// SetUp sets any interface of the host up.
func (h *Host) SetUp(name string) error {
	l, err := h.nl.LinkByName(name)
	if err == nil && l.Attrs().Flags&net.FlagUp == 0 {
		err = h.nl.LinkSetUp(l)
	}
	return wrap(err, "set %s up", name)
}

// find returns a link by name, or nil.
func find(nl *netlink.Handle, name string) (netlink.Link, error) {
	l, err := nl.LinkByName(name)
	if _, ok := errors.AsType[netlink.LinkNotFoundError](err); ok {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up interface %s: %w", name, err)
	}
	return l, nil
}

// paired reports whether the links, of two namespaces, are the ends of one veth pair.
func paired(a, b netlink.Link) bool {
	return a != nil && b != nil && a.Type() == "veth" && b.Type() == "veth" &&
		a.Attrs().ParentIndex == b.Attrs().Index && b.Attrs().ParentIndex == a.Attrs().Index
}

// elsewhere reports whether the other end of a live host end of ours is in another namespace.
func elsewhere(outer netlink.Link) bool {
	return outer != nil && outer.Type() == "veth" && outer.Attrs().Group == GroupLive && outer.Attrs().NetNsID >= 0
}

// Taken reports whether a live host end of that name exists whose other end is in another namespace, that is, in a container.
func (h *Host) Taken(name string) (bool, error) {
	l, err := find(h.nl, name)
	return err == nil && elsewhere(l), err
}

// gone turns the error "no such device" into success.
func gone(err error) error {
	if errors.Is(err, unix.ENODEV) {
		return nil
	}
	return err
}

func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// netnsHandle is the namespace as package netns knows it.
func (n *Namespace) netnsHandle() *netns.NsHandle {
	h := netns.NsHandle(n.fd)
	return &h
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}
