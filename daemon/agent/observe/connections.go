// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

const (
	// pollInterval is the interval between reads of the tracker; 1/share is the maximum part of the time spent on that.
	pollInterval, share = time.Second, 100
	// maxConnections is the maximum number of connections that are followed: with more, none is.
	maxConnections = 100_000
	// lookTimeout bounds one read.
	lookTimeout = 10 * time.Second

	hairpinZones = 0x8000     // zones from here on are of hairpins, which also have a connection in the tenant's zone
	blocked      = 0x80000000 // in a mark: rules refuse the connection, which they had admitted before
)

// flowKey identifies a connection.
type flowKey struct {
	zone     uint16
	protocol uint8
	orig     vswitchd.Tuple
}

// connection is the state of one.
type connection struct {
	reply   vswitchd.Tuple
	label   uint64
	since   time.Time // zero: it existed before
	look    uint32    // number of the read that has seen it last
	to      *vswitchd.Count
	from    *vswitchd.Count
	closed  bool
	blocked bool
}

// tracker follows the tracked connections of the switch.
type tracker struct {
	known map[flowKey]*connection // nil: unknown
	look  uint32
	fault string // why the last read failed; "" if it did not
}

// follow reads the tracker until ctx ends.
func (o *Observer) follow(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		begin := time.Now()
		o.look(ctx)
		timer.Reset(max(pollInterval, share*time.Since(begin)))
	}
}

// look reads the tracker once. It reports a fault once, as long as it lasts.
func (o *Observer) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	err := o.dump(ctx)
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	fault := ""
	if err != nil {
		fault = err.Error()
		o.tracker.known = nil
	}
	if fault != "" && o.tracker.fault == "" {
		o.recordMissed("connections that are opened and closed are not seen: "+fault, 0)
	}
	o.tracker.fault = fault
}

// dump reads the tracked connections, and reports changes.
func (o *Observer) dump(ctx context.Context) error {
	datapath := o.Datapath()
	if datapath == "" {
		return errors.New("the switch has no datapath yet")
	}
	datapath += "@ovs-" + datapath
	text, err := o.Control(ctx, "dpctl/ct-get-nconns", datapath)
	if n, wrong := strconv.Atoi(strings.TrimSpace(text)); err == nil && wrong == nil && n > maxConnections {
		return fmt.Errorf("the switch tracks %d, and more than %d are not followed", n, maxConnections)
	}
	if _, refused := errors.AsType[*vswitchd.Refusal](err); err != nil && !refused { // not every tracker has the command
		return err
	}
	if text, err = o.Control(ctx, "dpctl/dump-conntrack", "-s", datapath); err != nil {
		return err
	}
	now := o.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	t := &o.tracker
	first := t.known == nil
	if first {
		t.known = map[flowKey]*connection{}
	}
	t.look++
	err = vswitchd.ParseConnections(text, maxConnections, func(e *vswitchd.Connection) {
		if e.Zone > 0 && e.Zone < hairpinZones {
			o.entry(e, now, first)
		}
	})
	if err != nil {
		return err
	}
	for k, c := range t.known {
		if c.look != t.look {
			if !c.closed && !c.blocked {
				o.ended(&k, c, now)
			}
			delete(t.known, k)
		}
	}
	return nil
}

// entry handles a tracked connection.
func (o *Observer) entry(e *vswitchd.Connection, now time.Time, first bool) {
	k := flowKey{e.Zone, e.Protocol, e.Orig}
	c, there := o.tracker.known[k]
	if there && c.closed && !e.Closed() { // the same ports have been used again
		there = false
	}
	if !there {
		c = &connection{reply: e.Reply, label: e.Label[0], blocked: e.Mark&blocked != 0}
		o.tracker.known[k] = c
		switch {
		case first:
			c.closed = e.Closed()
		case !c.blocked:
			c.since = now
			o.report(&k, c, model.ObservedOpened, now)
		}
	}
	c.look, c.to, c.from = o.tracker.look, e.To, e.From
	switch {
	case !c.blocked && e.Mark&blocked != 0:
		c.blocked = true
		o.report(&k, c, model.ObservedRefused, now)
	case c.blocked && e.Mark&blocked == 0:
		c.blocked, c.since, c.label = false, now, e.Label[0]
		o.report(&k, c, model.ObservedOpened, now)
	}
	if e.Closed() && !c.closed && !c.blocked {
		o.ended(&k, c, now)
		c.closed = true
	}
}

// ended reports that a connection has ended.
func (o *Observer) ended(k *flowKey, c *connection, now time.Time) {
	o.report(k, c, model.ObservedClosed, now)
}

// report adds an event of a connection to the ring, if this host is responsible: the host of the destination; the host of the source only
// if no other host would report it, or if a rule here has admitted it.
func (o *Observer) report(k *flowKey, c *connection, verdict model.ObservedVerdict, now time.Time) {
	e := model.Observed{Time: now, Host: o.Host, Verdict: verdict, Proto: protocolName(k.protocol), SrcPort: int(k.orig.SrcPort), Port: int(c.reply.SrcPort)}
	mine, revision := false, o.Revision()
	o.View(func(s *ofnet.State) {
		if e.Tenant = tenantOf(s, k.zone); e.Tenant == "" {
			return
		}
		e.From, e.To = end(s, e.Tenant, k.orig.Src), end(s, e.Tenant, c.reply.Src)
		if k.orig.Dst != c.reply.Src {
			e.Service = service(s, e.Tenant, k.orig.Dst)
		}
		out := o.deciders.get(s, revision, decision{e.From.Group, ofnet.Out, uint32(c.label)})
		in := o.deciders.get(s, revision, decision{e.To.Group, ofnet.In, uint32(c.label >> 32)})
		mine = e.To.Endpoint == "" || e.To.Host == o.Host || out.Key != ofnet.Key{}
		if verdict == model.ObservedRefused {
			e.Reason = "it was open when rules changed, and they refuse it now"
			return
		}
		e.Rules = append(ruleName(out.Key, o.Rule), ruleName(in.Key, o.Rule)...)
	})
	if !mine || e.Tenant == "" {
		return
	}
	o.name(&e)
	if verdict == model.ObservedClosed {
		if now.After(c.since) && !c.since.IsZero() { // not between two reads
			seconds := now.Sub(c.since).Seconds()
			e.Seconds = &seconds
		}
		if c.to != nil && c.from != nil {
			e.Sent, e.Got = &model.FlowCount{Packets: c.to.Packets, Bytes: c.to.Bytes}, &model.FlowCount{Packets: c.from.Packets, Bytes: c.from.Bytes}
		}
	}
	o.ring.add(e)
}
