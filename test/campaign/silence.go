// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

const (
	writeTimeout = 25 * time.Second // for a netmaster to answer a change, as long as the way to the leader is as it is
	mendLimit    = 60 * time.Second // for what was seen of a fault to end
)

// freeze has a netmaster, with its member of the store, stand still for as long as others need to notice. They say that they know nothing
// of it, and not what it is; hosts stay, and it is back when it continues.
func (c *cluster) freeze(ctx context.Context, r *rand.Rand) fault {
	list := c.lab.HostList()
	i := r.IntN(len(list))
	frozen, other := list[i], list[(i+1)%len(list)]
	f := fault{what: fmt.Sprintf("netmaster of %s stands still, %s is asked", frozen.Name, other.Name)}
	if err := c.lab.Pause(frozen.Name, lab.PartMaster); err != nil {
		return fault{what: err.Error(), wrong: true}
	}
	begin := time.Now()
	seen := c.repeat(ctx, 20*time.Second, func(ctx context.Context) error { return c.unknownTo(ctx, other, frozen) })
	if err := c.lab.Resume(frozen.Name, lab.PartMaster); err != nil {
		return fault{what: err.Error(), wrong: true}
	}
	if seen != nil && ctx.Err() == nil {
		f.what, f.wrong = fmt.Sprintf("%s: after %v: %v", f.what, time.Since(begin).Round(time.Second), seen), true
	}
	return c.mended(ctx, f)
}

// unknownTo returns an error unless a netmaster says that another's state is unknown, that one other leads, and what all hosts are.
func (c *cluster) unknownTo(ctx context.Context, asked, silent lab.HostInfo) error {
	nodes, err := c.masterOf(asked).Nodes(ctx)
	if err != nil {
		return err
	}
	leaders, agents, found := 0, 0, false
	for _, n := range nodes {
		switch {
		case n.Role == model.RoleAgent:
			agents++
		case n.Name == silent.IP:
			found = true
			if n.Role != model.RoleUnknown || n.Ready || n.Reason == "" {
				return fmt.Errorf("%s, which stands still, is %s, ready %v, %q", silent.Name, n.Role, n.Ready, n.Reason)
			}
		case n.Role == model.RoleLeader:
			leaders++
		}
	}
	if !found || leaders != 1 || agents != len(hosts) {
		return fmt.Errorf("the one that stands still is listed: %v; %d lead, want one; %d agents, want %d", found, leaders, agents, len(hosts))
	}
	return nil
}

// oneWay has what one host sends to another by the control network be lost, while the answers come through. Every netmaster answers a
// change within its limits, be it by a refusal, and the third host notices nothing.
func (c *cluster) oneWay(ctx context.Context, r *rand.Rand) fault {
	list := c.lab.HostList()
	i, turn := r.IntN(len(list)), 1+r.IntN(2)
	from, to, third := list[i], list[(i+turn)%3], list[(i+3-turn)%3]
	f := fault{what: fmt.Sprintf("what %s sends to %s by the control network is lost", from.Name, to.Name)}
	const table = "campaign-loss"
	cut := fmt.Sprintf("nft add table inet %[1]s && nft add chain inet %[1]s input '{ type filter hook input priority -400; }' && nft add rule inet %[1]s input ip saddr %[2]s drop", table, from.IP)
	if out, err := c.runOn(ctx, to.Name, "sh", "-c", cut); err != nil {
		return fault{what: fmt.Sprintf("%s: %v: %s", f.what, err, out), wrong: true}
	}
	for _, h := range list {
		if late := c.changes(ctx, h); late != nil {
			f.what, f.wrong = f.what+"; "+late.Error(), true
		}
	}
	if err := c.repeat(ctx, 15*time.Second, func(ctx context.Context) error { return c.readyAt(ctx, third) }); err != nil && ctx.Err() == nil {
		f.what, f.wrong = f.what+"; "+err.Error(), true
	}
	if out, err := c.runOn(ctx, to.Name, "nft", "delete", "table", "inet", table); err != nil {
		return fault{what: fmt.Sprintf("%s: mend it: %v: %s", f.what, err, out), wrong: true}
	}
	return c.mended(ctx, f)
}

// changes has the netmaster of a host make a change and undo it: an error says that it has not answered in time.
func (c *cluster) changes(ctx context.Context, h lab.HostInfo) error {
	api := c.masterOf(h)
	api.Timeout = 0 // a refusal is an answer, too
	name := "oneway-" + h.Name
	begin := time.Now()
	limited, cancel := context.WithTimeout(ctx, writeTimeout)
	_, err := api.Put(limited, &model.Tenant{TenantName: name})
	timedOut := errors.Is(limited.Err(), context.DeadlineExceeded)
	cancel()
	if timedOut && ctx.Err() == nil {
		err = fmt.Errorf("the netmaster of %s has not answered a change after %v: %w", h.Name, time.Since(begin).Round(time.Second), err)
	} else {
		err = nil
	}
	for range 3 { // it may have been created anyway
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
		_, gone := c.api.Delete(undo, model.KindTenant(), name)
		cancel()
		if gone == nil || model.AsError(gone).Code == model.CodeNotFound {
			break
		}
	}
	return err
}

// readyAt returns an error unless the netmaster and the agent of a host are ready, as that netmaster sees it, and it knows who leads.
func (c *cluster) readyAt(ctx context.Context, h lab.HostInfo) error {
	nodes, err := c.masterOf(h).Nodes(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", h.Name, err)
	}
	leaders := 0
	for _, n := range nodes {
		if (n.Name == h.IP || n.Name == h.Name) && !n.Ready {
			return fmt.Errorf("%s, which loses nothing: %s is not ready: %s", h.Name, n.Role, n.Reason)
		}
		if n.Role == model.RoleLeader {
			leaders++
		}
	}
	if leaders != 1 {
		return fmt.Errorf("%s, which loses nothing, sees %d leaders", h.Name, leaders)
	}
	return nil
}

// mended adds to a fault that is over what is still seen of it after a while: every netmaster says the same of all nodes, and finds
// nothing wrong with masters.
func (c *cluster) mended(ctx context.Context, f fault) fault {
	err := c.repeat(ctx, mendLimit, func(ctx context.Context) error {
		first := ""
		for _, h := range c.lab.HostList() {
			nodes, err := c.masterOf(h).Nodes(ctx)
			if err != nil {
				return err
			}
			said := ""
			for _, n := range nodes {
				if n.Role == model.RoleUnknown {
					return fmt.Errorf("to %s, %s is unknown: %s", h.Name, n.Name, n.Reason)
				}
				said += n.Name + " " + string(n.Role) + "\n"
			}
			if first == "" {
				first = said
			}
			if said != first {
				return fmt.Errorf("netmasters differ:\n%s%s", first, said)
			}
			verdict, err := c.masterOf(h).Health(ctx)
			if err != nil {
				return err
			}
			for _, x := range verdict.Findings {
				if strings.HasPrefix(x.Object, "master/") || x.Object == "cluster/leader" {
					return fmt.Errorf("%s still finds %s of %s: %s", h.Name, x.Code, x.Object, x.Evidence)
				}
			}
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		f.what, f.wrong = fmt.Sprintf("%s; when it was over: %v", f.what, err), true
	}
	return f
}

// repeat tries until it succeeds, and returns the last error when that does not happen in time.
func (c *cluster) repeat(ctx context.Context, most time.Duration, try func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		now := try(ctx)
		if now == nil {
			return nil
		}
		if ctx.Err() == nil || err == nil {
			err = now
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}
