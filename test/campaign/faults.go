// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/contiv/contiv/lab"
)

// fault is a fault that was injected and repaired.
type fault struct {
	what  string
	wrong bool // the cluster reacted wrongly
}

// kind is a kind of fault.
type kind struct {
	name  string
	times int // weight of the random choice: usual faults have a larger one
	do    func(context.Context, *rand.Rand) fault
}

// kinds returns all kinds of faults.
func (c *cluster) kinds() []kind {
	kinds := []kind{{"kill", 3, c.kill}, {"pause", 2, c.pause}, {"two-agents", 1, c.twoAgents}, {"two-tunnel-ends", 1, c.twoTunnelEnds}, {"cut-off", 1, c.cutOff},
		{"meddle", 2, c.meddle}, {"advertise", 1, c.advertise}, {"rogue-host", 1, c.rogueHost}, {"freeze", 1, c.freeze}, {"one-way", 1, c.oneWay}}
	if c.lab == nil || c.lab.Joined { // commands of operators mend these
		kinds = append(kinds, kind{"lose-directory", 1, c.loseFolder}, kind{"restore-snapshot", 1, c.restoreSnapshot}, kind{"flip-bit", 2, c.flipBit})
	}
	return kinds
}

// trouble breaks one or two parts at a time and repairs them, until calm is closed. It returns the faults after everything runs again.
func (c *cluster) trouble(ctx context.Context, r *rand.Rand, calm <-chan struct{}) (did []fault) {
	var kinds []func(context.Context, *rand.Rand) fault
	for _, k := range c.kinds() {
		for range k.times {
			if c.only == "" || c.only == k.name {
				kinds = append(kinds, k.do)
			}
		}
	}
	if len(kinds) == 0 { // it is the moves that are chosen from
		<-calm
		return nil
	}
	for {
		select {
		case <-calm:
			return did
		case <-ctx.Done():
			return did
		case <-time.After(time.Duration(500+r.IntN(2500)) * time.Millisecond):
		}
		did = append(did, kinds[r.IntN(len(kinds))](ctx, r))
	}
}

// kill kills a part, or two on different hosts, and restarts them.
func (c *cluster) kill(ctx context.Context, r *rand.Rand) fault {
	what := ""
	type victim struct{ host, part string }
	var down []victim
	first := r.IntN(3)
	for i := range 1 + r.IntN(2) {
		v := victim{hosts[(first+i)%3], []string{lab.PartAgent, lab.PartMaster, lab.PartOVS, lab.PartOVSDB}[r.IntN(4)]}
		if i > 0 && v.part == lab.PartMaster {
			continue // the embedded store needs two of three
		}
		if err := c.lab.Kill(v.host, v.part); err != nil {
			return fault{what: fmt.Sprintf("kill %s of %s: %v", v.part, v.host, err), wrong: true}
		}
		what += fmt.Sprintf("kill %s of %s; ", v.part, v.host)
		down = append(down, v)
	}
	sleep(ctx, r, 3*time.Second)
	for _, v := range down {
		if err := c.lab.Start(context.WithoutCancel(ctx), v.host, v.part); err != nil {
			what += err.Error()
		}
	}
	return fault{what: what}
}

// pause stops the process of a part for a while, so that its watches lag, its leases expire and its peers wait.
func (c *cluster) pause(ctx context.Context, r *rand.Rand) fault {
	host, part := hosts[r.IntN(3)], []string{lab.PartMaster, lab.PartAgent, lab.PartOVS, lab.PartOVSDB}[r.IntN(4)]
	if err := c.lab.Pause(host, part); err != nil {
		return fault{what: err.Error(), wrong: true}
	}
	sleep(ctx, r, 12*time.Second)
	if err := c.lab.Resume(host, part); err != nil {
		return fault{what: err.Error(), wrong: true}
	}
	return fault{what: fmt.Sprintf("pause %s of %s", part, host)}
}

// twoAgents starts an agent under the label of another host, as a cloned machine would.
func (c *cluster) twoAgents(ctx context.Context, r *rand.Rand) fault {
	i := r.IntN(3)
	return c.impostor(ctx, r, hosts[i], "--host", hosts[(i+1)%3])
}

// twoTunnelEnds starts an agent with the tunnel address of another host.
func (c *cluster) twoTunnelEnds(ctx context.Context, r *rand.Rand) fault {
	i := r.IntN(3)
	list := c.lab.HostList()
	return c.impostor(ctx, r, hosts[i], "--vtep-ip", list[(i+1)%3].VTEP)
}

// impostor restarts a host's agent with a flag that claims the name or address of another host, for a while.
func (c *cluster) impostor(ctx context.Context, r *rand.Rand, host, flag, value string) fault {
	if err := c.lab.Stop(host, lab.PartAgent); err != nil {
		return fault{what: err.Error(), wrong: true}
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(3+r.IntN(12))*time.Second)
	defer cancel()
	f := fault{what: fmt.Sprintf("agent of %s with %s %s", host, flag, value)}
	if c.lab.Start(limited, host, lab.PartAgent, flag, value) == nil {
		f.what, f.wrong = f.what+" became ready", true
	}
	if err := c.lab.Stop(host, lab.PartAgent); err != nil {
		f.what, f.wrong = f.what+"; "+err.Error(), true
	}
	if err := c.lab.Start(context.WithoutCancel(ctx), host, lab.PartAgent); err != nil {
		f.what, f.wrong = f.what+"; "+err.Error(), true
	}
	return f
}

// cutOff disconnects a host from the control network for a while.
func (c *cluster) cutOff(ctx context.Context, r *rand.Rand) fault {
	host := hosts[r.IntN(3)]
	for _, way := range []string{"down", "up"} {
		cmd, err := c.lab.Command(context.WithoutCancel(ctx), host, "ip", "link", "set", "mgmt0", way)
		if err == nil {
			err = cmd.Run()
		}
		if err != nil {
			return fault{what: err.Error(), wrong: true}
		}
		if way == "down" {
			sleep(ctx, r, 8*time.Second)
		}
	}
	return fault{what: "cut " + host + " off its control network"}
}

// sleep waits for a random time of at most most.
func sleep(ctx context.Context, r *rand.Rand, most time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(r.Int64N(int64(most)))):
	}
}
