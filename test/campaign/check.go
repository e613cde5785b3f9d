// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

const (
	checkPort  = 8000
	checkPairs = 8                // that are tried in a check
	settling   = 90 * time.Second // for the cluster to be well after all troubles
)

// check waits until the cluster is healthy and compares its reports with the facts.
func (c *cluster) check(ctx context.Context) {
	c.checks++
	for name := range c.leaving {
		c.eventually(ctx, "the end of container "+name, func() error { return c.end(ctx, name) })
	}
	c.eventually(ctx, "all nodes ready", func() error { return c.nodes(ctx) })
	c.eventually(ctx, "nothing contradicts the store", func() error { return c.decide(ctx) })
	c.eventually(ctx, "no drift", func() error { return c.drift(ctx) })
	c.eventually(ctx, "endpoints are the containers", func() error { return c.endpoints(ctx) })
	c.panics()
	c.talk(ctx)
	c.eventually(ctx, "all netmasters have the same", func() error { return c.agree(ctx) })
	c.say("checked: %d containers, %d findings so far", c.count(), c.findings)
}

// eventually repeats a check until it succeeds; after settling it is a finding.
func (c *cluster) eventually(ctx context.Context, what string, holds func() error) {
	err := errors.New("not tried")
	for end := time.Now().Add(settling); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(250 * time.Millisecond) {
		if err = holds(); err == nil {
			return
		}
	}
	if ctx.Err() == nil {
		c.found("%s: %v", what, err)
	}
}

func (c *cluster) nodes(ctx context.Context) error {
	nodes, err := c.api.Nodes(ctx)
	if err != nil {
		return err
	}
	leaders, agents := 0, 0
	for _, n := range nodes {
		switch {
		case !n.Ready || n.Errors > 0:
			return fmt.Errorf("%s is not well: %s, %d errors", n.Name, n.Reason, n.Errors)
		case n.Role == model.RoleLeader:
			leaders++
		case n.Role == model.RoleAgent:
			agents++
			if n.Lag > 0 {
				return fmt.Errorf("%s is %d revisions behind", n.Name, n.Lag)
			}
		}
	}
	if leaders != 1 || agents != len(hosts) || len(nodes) != 2*len(hosts) {
		return fmt.Errorf("%d leaders, %d agents of %d nodes", leaders, agents, len(nodes))
	}
	return nil
}

func (c *cluster) drift(ctx context.Context) error {
	for _, h := range hosts {
		d, err := c.api.Drift(ctx, h, false)
		if err != nil {
			return err
		}
		if len(d.Now) > 0 {
			return fmt.Errorf("%s has %d differences: %s", h, len(d.Now), d.Now[0].Text())
		}
	}
	return nil
}

// endpoints compares the endpoints that netmaster lists with the containers that there are.
func (c *cluster) endpoints(ctx context.Context) error {
	have, err := c.lab.Containers()
	if err != nil {
		return err
	}
	list, err := c.api.Endpoints().List(ctx)
	if err != nil {
		return err
	}
	at := map[string]string{} // endpoints by network, tenant and address
	byID := map[string]*model.EndpointOper{}
	for _, e := range list {
		byID[e.Network+" "+e.ContainerID] = e
		for _, ip := range e.IpAddress {
			if ip == "" {
				continue
			}
			if other := at[e.Network+" "+ip]; other != "" {
				c.found("%s of network %s belongs to %s and %s", ip, e.Network, other, e.ContainerID)
			}
			at[e.Network+" "+ip] = e.ContainerID
		}
	}
	if len(list) != len(have) {
		return fmt.Errorf("%d endpoints, %d containers", len(list), len(have))
	}
	for _, x := range have {
		e := byID[x.Network+"."+x.Tenant+" lab-"+x.Name]
		if e == nil {
			return fmt.Errorf("container %s of network %s.%s has no endpoint", x.Name, x.Network, x.Tenant)
		}
		if e.HomingHost != x.Host || !strings.EqualFold(e.MacAddress, x.MAC) || len(x.IPs) == 0 || e.IpAddress[0] != x.IPs[0].String() {
			return fmt.Errorf("container %s is %s %s %v, its endpoint %s %s %v", x.Name, x.Host, x.MAC, x.IPs, e.HomingHost, e.MacAddress, e.IpAddress)
		}
	}
	return nil
}

// talk has pairs of containers try to reach each other, and compares that with what netmaster says of them.
func (c *cluster) talk(ctx context.Context) {
	have, err := c.lab.Containers()
	if err != nil || len(have) < 2 {
		return
	}
	for range checkPairs {
		from, to := have[c.rand.IntN(len(have))], have[c.rand.IntN(len(have))]
		if from.Name == to.Name {
			continue
		}
		version := []int{4, 4, 6}[c.rand.IntN(3)]
		if _, err := from.IPv(version); err != nil {
			version = 4
		}
		if _, err := to.IPv(version); err != nil {
			version = 4
		}
		port := []int{0, checkPort, checkPort + 1}[c.rand.IntN(3)]
		c.pairs++
		c.eventuallyAgree(ctx, from, to, version, port)
	}
}

// eventuallyAgree tries a pair up to three times, since a first packet may be on its way to be resolved.
func (c *cluster) eventuallyAgree(ctx context.Context, from, to lab.Container, version, port int) {
	var text string
	for range 3 {
		address, err := to.IPv(version)
		if err != nil {
			return
		}
		ask := model.WhyRequest{From: end(from), To: end(to), Port: port}
		if version == 6 {
			ask.To = address.String()
		}
		if port > 0 {
			ask.Protocol = "tcp"
		}
		if from.Tenant != to.Tenant {
			return // addresses of tenants overlap, so a packet to one means another
		}
		w, err := c.api.Why(ctx, ask)
		if err != nil {
			text = err.Error()
			continue
		}
		passes := c.passes(ctx, from, to, version, port)
		switch {
		case passes && w.Verdict == model.VerdictAllowed, !passes && w.Verdict == model.VerdictDenied:
			return
		case !passes && w.Verdict == model.VerdictUnknown && from.Network != to.Network:
			return // a gateway outside of the cluster is asked, and there is none
		}
		text = fmt.Sprintf("why says %s (%s), and passes is %v", w.Verdict, w.Text, passes)
	}
	c.found("%s (%s.%s on %s) to %s (%s.%s on %s), IPv%d port %d: %s", from.Name, from.Network, from.Tenant, from.Host,
		to.Name, to.Network, to.Tenant, to.Host, version, port, text)
}

// end is how why is asked about a container.
func end(x lab.Container) string { return "endpoint/" + x.Tenant + ":" + x.Network + ":lab-" + x.Name }

// passes pings, or connects and sends a MiB there and back.
func (c *cluster) passes(ctx context.Context, from, to lab.Container, version, port int) bool {
	var cmd *exec.Cmd
	if port == 0 {
		var err error
		if cmd, err = c.lab.Ping(ctx, from.Name, to.Name, version, "-c", "2", "-i", "0.2", "-W", "1"); err != nil {
			return false
		}
	} else {
		args := []string{"--name", c.lab.Name, "tcp", from.Name, to.Name, strconv.Itoa(port), "-W", "2s"}
		if version == 6 {
			args = append(args, "-6")
		}
		cmd = exec.CommandContext(ctx, c.lab.Self(), args...)
	}
	return cmd.Run() == nil
}

var crash = regexp.MustCompile(`(?m)^(panic: |fatal error: |.*WARNING: DATA RACE)`)

// panics looks for the end of a master or an agent by its own fault.
func (c *cluster) panics() {
	for _, h := range hosts {
		for _, part := range []string{lab.PartMaster, lab.PartAgent} {
			text, err := os.ReadFile(c.lab.LogFile(h, part))
			if at := crash.FindIndex(text); err == nil && at != nil {
				c.found("%s of %s: %s", part, h, bytes.TrimSpace(text[at[0]:min(len(text), at[0]+2000)]))
			}
		}
	}
}

func (c *cluster) count() int {
	have, _ := c.lab.Containers()
	return len(have)
}
