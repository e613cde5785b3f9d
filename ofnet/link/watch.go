// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// settingsInterval is how often the kernel settings are read: the kernel sends no notification of their changes.
const settingsInterval = time.Second

// watchAgain is the delay after a failure before the kernel's notifications are subscribed to again.
const watchAgain = time.Second

// bell notifies waiters that something may have changed.
type bell struct {
	mu   sync.Mutex
	rung chan struct{}
}

func newBell() *bell { return &bell{rung: make(chan struct{})} }

// next returns a channel that is closed at the next ring.
func (b *bell) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rung
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.rung)
	b.rung = make(chan struct{})
}

// Changed returns a channel that is closed when others may have changed what the Host keeps, while Watch runs. It ignores the changes of
// containers that come and go.
func (h *Host) Changed() <-chan struct{} { return h.changes.next() }

// Moved returns a channel that is closed when an address of the namespace is added or removed, while Watch runs.
func (h *Host) Moved() <-chan struct{} { return h.moves.next() }

// Watch receives the kernel's notifications until ctx ends; then it returns nil. Links, addresses and routes of ours come by rtnetlink,
// tables by nfnetlink (NFNLGRP_NFTABLES); settings are read each second.
func (h *Host) Watch(ctx context.Context) error {
	var tasks sync.WaitGroup
	for _, s := range []struct {
		protocol int
		groups   []uint
		concerns func(m *syscall.NetlinkMessage) bool
	}{
		{unix.NETLINK_ROUTE, []uint{unix.RTNLGRP_LINK, unix.RTNLGRP_IPV4_IFADDR, unix.RTNLGRP_IPV6_IFADDR, unix.RTNLGRP_IPV4_ROUTE, unix.RTNLGRP_IPV6_ROUTE}, routeConcerns},
		{unix.NETLINK_NETFILTER, []uint{unix.NFNLGRP_NFTABLES}, tableConcerns},
	} {
		tasks.Go(func() {
			for ctx.Err() == nil {
				h.follow(ctx, s.protocol, s.groups, s.concerns)
				pause(ctx, watchAgain)
				h.ringAll() // notifications of the meantime are lost
			}
		})
	}
	tasks.Go(func() {
		for ctx.Err() == nil {
			if off, err := h.Settings().Drift(); err != nil || len(off) > 0 {
				h.changes.ring()
			}
			pause(ctx, settingsInterval)
		}
	})
	tasks.Wait()
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// follow rings the bells at notifications that concern the Host, until an error or the end of ctx.
func (h *Host) follow(ctx context.Context, protocol int, groups []uint, concerns func(*syscall.NetlinkMessage) bool) {
	s, err := nl.SubscribeAt(*h.ns.netnsHandle(), -1, protocol, groups...)
	if err != nil {
		return
	}
	stop := context.AfterFunc(ctx, s.Close)
	defer func() {
		if stop() {
			s.Close()
		}
	}()
	h.ringAll() // from now on no notification is lost
	for {
		list, _, err := s.Receive()
		switch {
		case errors.Is(err, unix.ENOBUFS): // the buffer overflowed: some are lost
			h.ringAll()
			continue
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
			continue
		case err != nil || errors.Is(err, os.ErrClosed):
			return
		}
		var changed, moved bool
		for i := range list {
			kind := list[i].Header.Type
			moved = moved || kind == unix.RTM_NEWADDR || kind == unix.RTM_DELADDR
			changed = changed || concerns(&list[i])
		}
		if changed {
			h.changes.ring()
		}
		if moved && protocol == unix.NETLINK_ROUTE {
			h.moves.ring()
		}
	}
}

func (h *Host) ringAll() {
	h.changes.ring()
	h.moves.ring()
}

// routeConcerns reports whether a notification of rtnetlink is more than the normal creation or deletion of a container's interface, or a
// route of others.
func routeConcerns(m *syscall.NetlinkMessage) bool {
	switch m.Header.Type {
	case unix.RTM_NEWLINK, unix.RTM_DELLINK:
	case unix.RTM_DELROUTE:
		const protocol = 5 // offset of rtm_protocol in struct rtmsg (linux/rtnetlink.h)
		return len(m.Data) > protocol && m.Data[protocol] == byte(routeProtocol)
	case unix.RTM_NEWROUTE:
		return false
	default:
		return true
	}
	_, s, err := parseEnd(m.Data)
	ours := err == nil && (s.group == GroupLive || s.group == GroupDeleting)
	return !ours || m.Header.Type == unix.RTM_NEWLINK && s.arp
}

// tableConcerns reports whether a notification of nfnetlink is about a table of ours. The first attribute of all but those of generations
// is the table's name (linux/netfilter/nf_tables.h).
func tableConcerns(m *syscall.NetlinkMessage) bool {
	if len(m.Data) < nl.SizeofNfgenmsg || m.Header.Type == unix.NFNL_SUBSYS_NFTABLES<<8|unix.NFT_MSG_NEWGEN {
		return false
	}
	attrs, err := nl.ParseRouteAttr(m.Data[nl.SizeofNfgenmsg:])
	if err != nil {
		return true
	}
	for _, a := range attrs {
		if a.Attr.Type&nl.NLA_TYPE_MASK != unix.NFTA_TABLE_NAME {
			continue
		}
		switch nl.BytesToString(a.Value) {
		case endsTable, guardTable, masqueradeTable, publishedTable:
			return true
		}
	}
	return false
}
