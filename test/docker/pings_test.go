// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/contiv/contiv/lab"
)

// pair is two containers on two hosts, one of which pings the other every 10 ms.
type pair struct {
	*cluster
	from, other, to string // the names, and the other's address
	cmd             *exec.Cmd
	out             strings.Builder
}

// pair runs two containers in a network.
func (c *cluster) pair(name, network string) *pair {
	c.t.Helper()
	p := &pair{cluster: c, from: name + "1", other: name + "2"}
	c.run("h1", p.from, network)
	p.to = c.run("h2", p.other, network)
	c.reaches(true, "h1", p.from, p.to)
	return p
}

// start begins the ping, from the container's network namespace: it needs no engine.
func (p *pair) start() {
	p.t.Helper()
	pid := p.docker("h1", "inspect", "-f", "{{.State.Pid}}", p.from)
	script := "echo $$ > /run/lab/" + p.from + ".pid; exec nsenter -t " + pid + " -n ping -i 0.01 -W 1 " + p.to
	cmd, err := p.Command(context.WithoutCancel(p.t.Context()), "h1", "sh", "-c", script)
	if err != nil {
		p.t.Fatal(err)
	}
	p.cmd, cmd.Stdout, cmd.WaitDelay = cmd, &p.out, time.Second
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = cmd.Process.Kill() })
}

// end ends the ping. Packets in flight do not count.
func (p *pair) end() lab.Pings {
	p.shell("h1", "kill -INT $(cat /run/lab/"+p.from+".pid)")
	_ = p.cmd.Wait() // its exit code says only whether anything came back
	return lab.ReadPings(p.out.String())
}
