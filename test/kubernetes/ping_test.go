// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os/exec"

	"github.com/contiv/contiv/lab"
)

// pings is a ping from a pod, every 10 ms.
type pings struct {
	from *running
	cmd  *exec.Cmd
	out  *bytes.Buffer
	file string // with the number of its process, on the pod's host
}

// pinging begins a ping from the pod's network namespace, which needs neither kubelet nor API server.
func (r *running) pinging(to netip.Addr) *pings {
	c := r.c
	c.t.Helper()
	host := r.get("{.spec.nodeName}")
	p := &pings{from: r, out: new(bytes.Buffer), file: "/run/lab/ping-" + r.name + ".pid"}
	line := fmt.Sprintf(`for n in /run/netns/cni-*; do nsenter --net=$n ip -o addr show | grep -qF ' %s/' || continue
		echo $$ >%s; exec nsenter --net=$n ping -n -i 0.01 -W 1 %s; done; echo no namespace has the address; exit 1`, r.addresses[0], p.file, to)
	var err error
	if p.cmd, err = c.Command(context.WithoutCancel(c.t.Context()), host, "sh", "-c", line); err != nil {
		c.t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	if err := p.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	return p
}

// ends ends the ping and reports what was lost.
func (p *pings) ends() lab.Pings {
	c := p.from.c
	c.t.Helper()
	if out, err := c.on(p.from.get("{.spec.nodeName}"), "kill -INT $(cat "+p.file+")"); err != nil {
		c.t.Errorf("end the ping: %v: %s", err, out)
	}
	_ = p.cmd.Wait() // its code reports lost pings
	got := lab.ReadPings(p.out.String())
	if got.Sent == 0 {
		c.t.Errorf("no ping was answered: %s", p.out)
	}
	return got
}
