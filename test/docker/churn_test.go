package docker_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// churn is how many containers come and go in TestChurn.
var churn = flag.Int("churn", 40, "`number` of containers that come and go in TestChurn")

// Containers come and go on two hosts while engines, agents and the leader are killed, one after the other. Two that stay hear each other all
// the time, since nothing that forwards was killed; when the switches are, they hear each other again. At the end nothing is left of
// all those that went.
func TestChurn(t *testing.T) {
	c := start(t, lab.Plan{Name: "churn", DockerFlags: []string{"--live-restore"}})
	c.must("network", "create", "blue", "--subnet", "10.1.0.0/16", "--gateway", "10.1.255.254", "--encap", "vxlan")
	c.hosted("blue")
	c.run("h1", "stay1", "blue")
	to := c.run("h2", "stay2", "blue")
	c.reaches(true, "h1", "stay1", to)

	p := c.pinging("h1", "stay1", to)
	c.churn(*churn, []string{lab.PartDocker, lab.PartAgent, lab.PartMaster})
	if lost, sent := p.end(); lost > 0 || sent == 0 {
		t.Errorf("%d of %d pings were lost between containers that stayed, while no switch was killed", lost, sent)
	} else {
		t.Logf("none of %d pings was lost", sent)
	}
	c.churn(*churn/4, []string{lab.PartOVS, lab.PartDocker, lab.PartOVSDB, lab.PartAgent})
	c.reaches(true, "h1", "stay1", to)
	c.leavesNothing(to)
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

// comesAndGoes runs a container and removes it, however often that fails, and says how often it did.
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

// pings is a ping from a container, every 10 ms.
type pings struct {
	cmd *exec.Cmd
	out strings.Builder
	sh  func(script string) string // runs something on its host
}

// pinging begins a ping, from the container's network namespace: it needs no engine.
func (c *cluster) pinging(host, name, to string) *pings {
	c.t.Helper()
	pid := c.docker(host, "inspect", "-f", "{{.State.Pid}}", name)
	cmd, err := c.Command(context.WithoutCancel(c.t.Context()), host, "sh", "-c", "echo $$ > /run/lab/churn.pid; exec nsenter -t "+pid+" -n ping -i 0.01 -W 1 "+to)
	if err != nil {
		c.t.Fatal(err)
	}
	p := &pings{cmd: cmd, sh: func(script string) string { return c.shell(host, script) }}
	cmd.Stdout, cmd.WaitDelay = &p.out, time.Second
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return p
}

var pinged = regexp.MustCompile(`icmp_seq=(\d+)`)

// end ends the ping. What was on its way then does not count.
func (p *pings) end() (lost, sent int) {
	p.sh("kill -INT $(cat /run/lab/churn.pid)")
	_ = p.cmd.Wait() // its exit code says only whether anything came back
	answered := map[int]struct{}{}
	for _, m := range pinged.FindAllStringSubmatch(p.out.String(), -1) {
		n, _ := strconv.Atoi(m[1])
		answered[n], sent = struct{}{}, max(sent, n)
	}
	return sent - len(answered), sent
}

// leavesNothing checks that nothing is there but what belongs to the two containers that stayed. What Docker lost without a word is
// released within two minutes.
func (c *cluster) leavesNothing(other string) {
	c.t.Helper()
	within(c.t, 2*time.Minute, func() error {
		out, err := c.netctl("endpoint", "ls", "-o", "name")
		if n := strings.Count(out, "\n"); err != nil || n != 2 {
			return fmt.Errorf("endpoints: want two, got %d: %s (%v)", n, out, err)
		}
		out, err = c.netctl("ip", "show", "blue", "-o", "name")
		if n := strings.Count(out, "\n"); err != nil || n != 3 {
			return fmt.Errorf("addresses that are not free: want two and the gateway, got %s (%v)", out, err)
		}
		for _, host := range c.hosts() {
			if err := c.clean(host); err != nil {
				return err
			}
		}
		return nil
	})
	for _, host := range c.hosts() {
		if out, err := c.netctl("drift", host); err != nil || !strings.Contains(out, "nothing differs") {
			c.t.Errorf("drift of %s: %s (%v)", host, out, err)
		}
	}
	c.docker("h1", "rm", "-f", "stay1")
	c.docker("h2", "rm", "-f", "stay2")
	if out := c.must("endpoint", "ls", "-o", "name"); out != "" {
		c.t.Errorf("endpoints are left at the end: %s", out)
	}
	c.must("network", "rm", "blue")
	for _, host := range c.hosts() {
		within(c.t, 20*time.Second, func() error {
			if out, err := on(c.t, c.Lab, host, "docker", "network", "ls", "-q", "-f", "driver=netplugin"); err != nil || out != "" {
				return fmt.Errorf("Docker networks are left on %s: %s (%v)", host, out, err)
			}
			return nil
		})
	}
}

// clean says what a host has beside one container's interface.
func (c *cluster) clean(host string) error {
	for what, script := range map[string]string{
		"interfaces": "ip -o link | grep -E '^[0-9]+: v[vf]' | grep -vc '^$'",
		"ports":      "ovs-vsctl --bare --columns=name find interface external_ids:contiv-container!=none | grep -E '^v' | grep -c .",
	} {
		out, err := on(c.t, c.Lab, host, "sh", "-c", script+"; true")
		if err != nil {
			return err
		}
		if n := strings.TrimSpace(out); n != "1" {
			return fmt.Errorf("%s: want one of %s, got %s", host, what, n)
		}
	}
	out, err := on(c.t, c.Lab, host, "nft", "list", "tables")
	if err != nil || strings.Contains(out, "contiv-ports") {
		return fmt.Errorf("%s: tables of nftables: %s (%v)", host, out, err)
	}
	return nil
}
