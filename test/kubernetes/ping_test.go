package kubernetes_test

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os/exec"
	"regexp"
	"strconv"
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

// lost ends the ping and tells which of how many were not answered. Those on their way then do not count.
func (p *pings) lost() (lost []int, sent int) {
	c := p.from.c
	c.t.Helper()
	if out, err := c.on(p.from.get("{.spec.nodeName}"), "kill -INT $(cat "+p.file+")"); err != nil {
		c.t.Errorf("end the ping: %v: %s", err, out)
	}
	_ = p.cmd.Wait() // it tells of lost pings in its code
	answered := map[int]struct{}{}
	for _, m := range regexp.MustCompile(`icmp_seq=(\d+)`).FindAllStringSubmatch(p.out.String(), -1) {
		n, _ := strconv.Atoi(m[1]) // these are digits
		answered[n], sent = struct{}{}, max(sent, n)
	}
	if sent == 0 {
		c.t.Errorf("no ping was answered: %s", p.out)
	}
	for n := range sent {
		if _, ok := answered[n+1]; !ok {
			lost = append(lost, n+1)
		}
	}
	return lost, sent
}

// losses is what a ping lost.
type losses struct{ sent, lost, longest int }

func (l losses) String() string {
	return fmt.Sprintf("%d of %d, at most %d in a row", l.lost, l.sent, l.longest)
}

// losses ends the ping and tells what was lost.
func (p *pings) losses() losses {
	p.from.c.t.Helper()
	missing, sent := p.lost()
	l, row := losses{sent: sent, lost: len(missing)}, 0
	for i, n := range missing {
		if i == 0 || n != missing[i-1]+1 {
			row = 0
		}
		row++
		l.longest = max(l.longest, row)
	}
	return l
}
