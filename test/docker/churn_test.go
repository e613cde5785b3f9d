// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// churn is how many containers come and go in TestChurn.
var churn = flag.Int("churn", 40, "`number` of containers that come and go in TestChurn")

// On two hosts containers are started and removed while engines, agents, their doors and the leader are killed, one after the other. Two
// pairs that stay hear each other all the time, since nothing that forwards was killed: on a VLAN not one packet is lost. Between the
// ends of tunnels Open vSwitch loses some on its userspace datapath, as it would with any flows: it forgets all routes for a moment, on a
// busy machine for longer, whenever an interface of the host comes or goes (docs/explanation/performance-packets.md). When the switches
// are killed, the pairs hear each other again. At the end nothing is left of all those that went.
func TestChurn(t *testing.T) {
	c := start(t, lab.Plan{Name: "churn", DockerFlags: []string{"--live-restore"}})
	c.must("network", "create", "blue", "--subnet", "10.1.0.0/16", "--gateway", "10.1.255.254", "--encap", "vxlan")
	c.must("network", "create", "green", "--subnet", "10.2.0.0/16", "--encap", "vlan", "--pkt-tag", "20")
	c.hosted("blue")
	c.hosted("green")
	pairs := []*pair{c.pair("tunnel", "blue"), c.pair("vlan", "green")}
	for _, p := range pairs {
		p.start()
	}
	c.churn(*churn, []string{lab.PartDocker, lab.PartAgent, lab.PartPluginProxy, lab.PartMaster})
	tunnel, vlan := pairs[0].end(), pairs[1].end()
	t.Logf("lost by tunnel: %v; by VLAN: %v", tunnel, vlan)
	if len(vlan.Lost) > 0 || vlan.Sent == 0 {
		t.Errorf("lost on a VLAN, while no switch was killed: %v", vlan)
	}
	if tunnel.Longest() > 50 || len(tunnel.Lost) > tunnel.Sent/20 || tunnel.Sent == 0 {
		t.Errorf("lost by a tunnel, while no switch was killed: %v; want at most 50 in a row, and one of twenty", tunnel)
	}
	c.churn(*churn/4, []string{lab.PartOVS, lab.PartDocker, lab.PartOVSDB, lab.PartAgent})
	for _, p := range pairs {
		c.reaches(true, "h1", p.from, p.to)
	}
	c.leavesNothing(pairs)
}

func (c *cluster) hosts() []string { return []string{"h1", "h2"} }

// churn runs and removes n containers on both hosts, several at once, while parts of the hosts are killed and started.
func (c *cluster) churn(n int, parts []string) {
	c.t.Helper()
	ctx, stop := context.WithCancel(c.t.Context())
	var kills sync.WaitGroup
	kills.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			c.killed(ctx, c.hosts()[i%2], parts[i/2%len(parts)])
		}
	})
	var work sync.WaitGroup
	var serial, failed atomic.Int64
	for i := range 4 {
		host := c.hosts()[i%2]
		work.Go(func() {
			for {
				k := serial.Add(1)
				if k > int64(n) {
					return
				}
				failed.Add(c.comesAndGoes(host, fmt.Sprintf("c%d-%d", n, k)))
			}
		})
	}
	work.Wait()
	stop()
	kills.Wait()
	c.t.Logf("%d containers came and went under kills of %v; %d attempts failed meanwhile and were repeated", n, parts, failed.Load())
}

// killed kills a part of a host, and starts it a moment later. The one netmaster is the first host's.
func (c *cluster) killed(ctx context.Context, host, part string) {
	if part == lab.PartMaster {
		host = "h1"
	}
	if err := c.Kill(host, part); err != nil {
		c.t.Errorf("kill %s on %s: %v", part, host, err)
	}
	time.Sleep(rand.N(time.Second))
	if err := c.Start(context.WithoutCancel(ctx), host, part); err != nil {
		c.t.Errorf("start %s on %s: %v", part, host, err)
	}
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
}

// comesAndGoes runs a container and removes it, however often that fails, and returns the number of failures.
func (c *cluster) comesAndGoes(host, name string) (failed int64) {
	last := time.Now().Add(3 * time.Minute)
	for _, args := range [][]string{{"run", "-d", "--name", name, "--network", "blue", lab.Image}, {"rm", "-f", name}} {
		for {
			out, err := c.tries(host, args)
			if err == nil || args[0] == "rm" && strings.Contains(out, "No such container") {
				break
			}
			if time.Now().After(last) {
				c.t.Errorf("%s: docker %s: %v: %s", host, strings.Join(args, " "), err, out)
				return failed
			}
			failed++
			if args[0] == "run" { // what is left of an attempt has the name
				_, _ = c.tries(host, []string{"rm", "-f", name})
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
	return failed
}

// tries runs the docker command on a host, which may be without an engine.
func (c *cluster) tries(host string, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	cmd, err := c.Command(ctx, host, append([]string{"docker"}, args...)...)
	if err != nil {
		return "", err
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// warnings are the last warnings of a host's agent.
func (c *cluster) warnings(host string) string {
	text, err := os.ReadFile(c.LogFile(host, lab.PartAgent))
	if err != nil {
		return err.Error()
	}
	lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool {
		return !strings.Contains(line, "level=WARN") && !strings.Contains(line, "level=ERROR")
	})
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// leavesNothing checks that nothing is there but what belongs to the containers that stayed, and nothing at all when these have gone,
// too. Endpoints that Docker lost without a request are released within two minutes.
func (c *cluster) leavesNothing(pairs []*pair) {
	c.t.Helper()
	defer func() {
		if c.t.Failed() {
			c.t.Logf("%s", c.must("endpoint", "ls", "-o", "wide"))
			for _, host := range c.hosts() {
				c.t.Logf("%s:\n%s\n%s\nwhat its agent warned of:\n%s", host, c.docker(host, "ps", "-a", "--no-trunc"),
					c.docker(host, "network", "inspect", "-f", "{{json .Containers}}", "blue"), c.warnings(host))
			}
		}
	}()
	within(c.t, 2*time.Minute, func() error {
		out, err := c.netctl("endpoint", "ls", "-o", "name")
		if n := strings.Count(out, "\n"); err != nil || n != 2*len(pairs) {
			return fmt.Errorf("endpoints: want two a pair, got %d: %s (%v)", n, out, err)
		}
		for network, used := range map[string]int{"blue": 3, "green": 2} { // blue has a gateway
			out, err = c.netctl("ip", "show", network, "-o", "name")
			if n := strings.Count(out, "\n"); err != nil || n != used {
				return fmt.Errorf("addresses of %s that are not free: want %d, got %s (%v)", network, used, out, err)
			}
		}
		for _, host := range c.hosts() {
			if err := c.clean(host); err != nil {
				return err
			}
		}
		return nil
	})
	for _, host := range c.hosts() {
		if out, err := c.netctl("drift", host); err != nil { // what was found and repaired meanwhile is no fault: switches were killed
			c.t.Errorf("drift of %s: %s (%v)", host, out, err)
		}
	}
	for _, p := range pairs {
		c.docker("h1", "rm", "-f", p.from)
		c.docker("h2", "rm", "-f", p.other)
	}
	if out := c.must("endpoint", "ls", "-o", "name"); out != "" {
		c.t.Errorf("endpoints are left at the end: %s", out)
	}
	c.must("network", "rm", "blue")
	c.must("network", "rm", "green")
	for _, host := range c.hosts() {
		within(c.t, 20*time.Second, func() error {
			if out, err := on(c.t, c.Lab, host, "docker", "network", "ls", "-q", "-f", "driver=netplugin"); err != nil || out != "" {
				return fmt.Errorf("Docker networks are left on %s: %s (%v)", host, out, err)
			}
			return nil
		})
	}
}

// clean returns an error for things on a host other than the interfaces of two containers.
func (c *cluster) clean(host string) error {
	for what, script := range map[string]string{
		"interfaces": "ip -o link | grep -E '^[0-9]+: v[vf]' | grep -vc '^$'",
		"ports":      "ovs-vsctl --bare --columns=name find interface external_ids:contiv-container!=none | grep -E '^v' | grep -c .",
	} {
		out, err := on(c.t, c.Lab, host, "sh", "-c", script+"; true")
		if err != nil {
			return err
		}
		if n := strings.TrimSpace(out); n != "2" {
			return fmt.Errorf("%s: want two of %s, got %s", host, what, n)
		}
	}
	out, err := on(c.t, c.Lab, host, "nft", "list", "tables")
	if err != nil || strings.Contains(out, "contiv-ports") {
		return fmt.Errorf("%s: tables of nftables: %s (%v)", host, out, err)
	}
	return nil
}
