// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/vishvananda/netlink/nl"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/loadgen"
)

// Messages of the kernel about a change of nftables (linux/netfilter/nfnetlink.h, nf_tables.h): the last message of each is of a new
// generation.
const (
	nftablesGroup = 7
	newGeneration = 10<<8 | 15
)

// patience bounds what kube-proxy takes.
const patience = 30 * time.Second

// kubeProxy is kube-proxy with nftables, on a host of its own network namespace, which an API server of its own has given all services.
type kubeProxy struct {
	server      *kubetest.Server
	generations chan time.Time // when nftables changed
}

// startKubeProxy starts one on the last host, and waits until it has programmed the services.
func (k *kubernetes) startKubeProxy(ctx context.Context, tb *harness.Stand, program string, server *kubetest.Server) *kubeProxy {
	host := k.hosts[len(k.hosts)-1]
	pid, err := hostPID(k.lab.Dir, host)
	if err != nil {
		tb.Fatal(err)
	}
	p := &kubeProxy{server: server, generations: make(chan time.Time, 4096)}
	space, err := netns.GetFromPid(pid)
	if err != nil {
		tb.Fatal(err)
	}
	socket, err := nl.SubscribeAt(space, netns.None(), unix.NETLINK_NETFILTER, nftablesGroup)
	_ = space.Close()
	if err != nil {
		tb.Fatal(err)
	}
	go p.listen(socket)
	// The process that enters a host is not kube-proxy, which ends with it.
	cmd, err := k.lab.Command(ctx, host, "setpriv", "--pdeathsig", "KILL", program, "kube-proxy", "--kubeconfig", server.Kubeconfig(tb), "--proxy-mode", "nftables", "--hostname-override", loadgen.Host(1),
		"--conntrack-max-per-core", "0", "--conntrack-tcp-timeout-established", "0", "--conntrack-tcp-timeout-close-wait", "0", "--metrics-bind-address", "127.0.0.1:10249",
		"--healthz-bind-address", "127.0.0.1:10256")
	if err != nil {
		tb.Fatal(err)
	}
	said := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		socket.Close()
	})
	last := loadgen.ClusterIP(servicesThere - 1).String()
	for end := time.Now().Add(patience); ; {
		list, err := k.lab.Command(ctx, host, "nft", "list", "map", "ip", "kube-proxy", "service-ips")
		if err != nil {
			tb.Fatal(err)
		}
		if out, err := list.Output(); err == nil && strings.Contains(string(out), last+" ") {
			break
		}
		if time.Now().After(end) {
			tb.Fatalf("kube-proxy does not program the services: %s", said)
		}
		if err := pause(ctx, restful); err != nil {
			tb.Fatal(err)
		}
	}
	return p
}

// listen notes the changes until the socket is closed.
func (p *kubeProxy) listen(socket *nl.NetlinkSocket) {
	for {
		messages, _, err := socket.Receive()
		at := time.Now()
		if err == unix.ENOBUFS { // some were lost: more than enough came
			continue
		}
		if err != nil {
			return
		}
		for _, m := range messages {
			if m.Header.Type == newGeneration {
				select {
				case p.generations <- at:
				default:
				}
			}
		}
	}
}

// change puts an object at the API server and returns how long it takes until the kernel has what follows.
func (p *kubeProxy) change(tb *harness.Stand, o kubetest.Object) time.Duration {
	for len(p.generations) > 0 {
		<-p.generations
	}
	began := time.Now()
	p.server.Put(tb, o)
	select {
	case at := <-p.generations:
		return at.Sub(began)
	case <-time.After(patience):
		tb.Fatalf("kube-proxy does nothing about %s", o.GetName())
	}
	return 0
}
