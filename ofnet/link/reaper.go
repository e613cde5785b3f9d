// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// reapWindow is how long the reaper collects before it deletes. Deleting together costs the kernel one grace period, and ovs-vswitchd one
// scan of its ports.
const reapWindow = 200 * time.Millisecond

// ScheduleDelete gives host ends to the reaper, which deletes them soon. It does not block. Only links of ours are deleted.
func (h *Host) ScheduleDelete(names ...string) {
	h.ends.release(names...)
	h.mu.Lock()
	h.scheduled = append(h.scheduled, names...)
	h.queued += uint64(len(names))
	h.mu.Unlock()
	h.poke()
}

// cancelDelete withdraws a name from the reaper, since an interface is about to use it again, and reports whether it was scheduled: an
// interface that still has it is then the caller's to delete. It blocks while the reaper is deleting that name.
func (h *Host) cancelDelete(name string) (doomed bool) {
	for {
		h.mu.Lock()
		n := len(h.scheduled)
		h.scheduled = slices.DeleteFunc(h.scheduled, func(s string) bool { return s == name })
		doomed = doomed || len(h.scheduled) < n
		busy, changed := slices.Contains(h.reaping, name), h.changed
		h.mu.Unlock()
		if !busy {
			return doomed
		}
		<-changed
	}
}

func (h *Host) poke() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// Flush waits until everything scheduled before the call has been deleted; it needs Reap to run.
func (h *Host) Flush(ctx context.Context) error {
	h.mu.Lock()
	target := h.queued
	h.urgent = true
	h.mu.Unlock()
	h.poke()
	for {
		h.mu.Lock()
		reaped, changed := h.reaped, h.changed
		h.mu.Unlock()
		if reaped >= target {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the deletion of interfaces: %w", ctx.Err())
		}
	}
}

// Reap deletes scheduled links, many per request, until ctx ends; then it deletes the rest and returns nil. It starts with what an earlier
// process left scheduled.
func (h *Host) Reap(ctx context.Context, log *slog.Logger) error {
	if err := h.deleteScheduled(); err != nil {
		log.Warn("cannot delete old interfaces", "error", err)
	}
	for {
		select {
		case <-ctx.Done():
			return h.reap()
		case <-h.wake:
		}
		h.mu.Lock()
		urgent := h.urgent
		h.mu.Unlock()
		if !urgent {
			t := time.NewTimer(reapWindow)
			select {
			case <-t.C:
			case <-ctx.Done():
			}
			t.Stop()
		}
		if err := h.reap(); err != nil {
			log.Warn("cannot delete interfaces", "error", err)
		}
	}
}

func (h *Host) reap() error {
	h.mu.Lock()
	names, upTo := h.scheduled, h.queued
	h.scheduled, h.reaping, h.urgent = nil, names, false
	idle := len(names) == 0 && h.reaped == upTo
	h.mu.Unlock()
	if idle {
		return nil
	}
	var errs []error
	if len(names) == 1 { // changing its group would be another link event
		errs = append(errs, remove(h.reaper, names[0]))
		names = nil
	}
	for _, name := range names {
		l, err := find(h.reaper, name)
		if err == nil && l != nil && l.Attrs().Group == GroupLive {
			err = gone(h.reaper.LinkSetGroup(l, GroupDeleting))
		}
		errs = append(errs, wrap(err, "give up interface %s", name))
	}
	if len(names) > 0 {
		errs = append(errs, h.deleteScheduled())
	}
	h.mu.Lock()
	h.reaped, h.reaping = upTo, nil
	close(h.changed)
	h.changed = make(chan struct{})
	h.mu.Unlock()
	return errors.Join(errs...)
}

// deleteScheduled deletes the group of scheduled links with one request, so with one grace period.
func (h *Host) deleteScheduled() error {
	return wrap(h.ns.Do(func() error {
		req := nl.NewNetlinkRequest(unix.RTM_DELLINK, unix.NLM_F_ACK)
		req.AddData(nl.NewIfInfomsg(unix.AF_UNSPEC))
		req.AddData(nl.NewRtAttr(unix.IFLA_GROUP, nl.Uint32Attr(GroupDeleting)))
		_, err := req.Execute(unix.NETLINK_ROUTE, 0)
		return gone(err)
	}), "delete links of group %#x", GroupDeleting)
}
