// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"bufio"
	"fmt"
	"net/netip"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// The address of a load balancer is reached from outside: on a bridged VLAN by anyone who is on it, since one host answers for it; in
// routing mode by way of a router, to which every host announces it. Either way a backend sees its client, who keeps its backend as long
// as the service says.
func TestLoadBalancerOutside(t *testing.T) {
	c := bare(t, lab.Plan{Name: "kout", Hosts: 3})
	c.netctl("network", "create", "--encap", "vxlan", "--subnet", "10.40.0.0/16", "--gateway", "10.40.255.254", "default-net")
	c.netctl("network", "create", "--encap", "vlan", "--pkt-tag", "41", "--subnet", "10.41.0.0/24", "front")
	pods := c.shops("app=web,io.contiv.network=front") // a pod that is not on the VLAN has no way back to who is
	c.leaves("h3", "eth1", 41, "10.41.0.200/24")
	c.answersOutside("10.41.0.200", c.balancer(), func(args ...string) (string, error) {
		return c.on("h3", strings.Join(args, " "))
	})
	for _, p := range pods {
		p.remove()
	}
	c.kubectl("delete", "service", "shop")
	c.eventually("both networks are empty, and gone", func() error {
		for _, name := range []string{"front", "default-net"} {
			if _, err := c.tryNetctl("network", "rm", name); err != nil && !strings.Contains(err.Error(), "not found") {
				return err
			}
		}
		return nil
	})

	c.netctl("global", "set", "--fwd-mode", "routing", "--wait")
	c.netctl("network", "create", "--encap", "vxlan", "--subnet", "10.40.0.0/16", "--gateway", "10.40.255.254", "default-net")
	c.netctl("network", "create", "--encap", "vlan", "--subnet", "10.41.0.0/24", "--gateway", "10.41.0.254", "front")
	c.shops("app=web")
	for n, host := range []string{"h1", "h2"} {
		c.netctl("bgp", "create", host, "--router-ip", fmt.Sprintf("50.1.1.%d/24", n+1), "--as", fmt.Sprint(65001+n), "--neighbor-as", "500", "--neighbor", "50.1.1.200")
	}
	c.router("--peer", "50.1.1.1@65001", "--peer", "50.1.1.2@65002")
	address := c.balancer()
	c.eventually("both hosts announce the address", func() error {
		if routes := c.outside("ip", "route", "show", address.String()); !strings.Contains(routes, "50.1.1.1 ") && !strings.Contains(routes, "50.1.1.2 ") {
			return fmt.Errorf("routes to %s are %q", address, routes)
		}
		for _, host := range []string{"h1", "h2"} {
			if out := c.netctl("bgp", "inspect", host); !strings.Contains(out, address.String()+"/32") {
				return fmt.Errorf("%s announces %s", host, out)
			}
		}
		return nil
	})
	for _, via := range []string{"50.1.1.1", "50.1.1.2"} { // whichever host a router chooses
		c.outside("ip", "route", "replace", address.String(), "via", via)
		c.answersOutside("50.1.1.200", address, c.tryOutside)
	}
}

// shops are two pods with labels, behind a load balancer with session affinity whose address is of network front.
func (c *cluster) shops(labels string) []*running {
	c.t.Helper()
	pods := []*running{c.create(pod{name: "web", host: "h1", labels: labels, serves: 8080}), c.create(pod{name: "far", host: "h2", labels: labels, serves: 8080})}
	c.apply(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "shop", "namespace": "default", "annotations": {"io.contiv.network": "front"}},
		"spec": {"type": "LoadBalancer", "selector": {"app": "web"}, "sessionAffinity": "ClientIP", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 60}},
		"ports": [{"port": 80, "targetPort": 8080}]}}`)
	for _, p := range pods {
		p.ready()
	}
	return pods
}

// balancer is the address of the service shop.
func (c *cluster) balancer() (a netip.Addr) {
	c.t.Helper()
	c.eventually("the service has an address", func() error {
		var err error
		a, err = netip.ParseAddr(c.kubectl("get", "service", "shop", "-o", "jsonpath={.status.loadBalancer.ingress[0].ip}"))
		return err
	})
	return a
}

// leaves takes a host out of the network of Contiv, and makes it a machine on a VLAN of the trunk.
func (c *cluster) leaves(host, nic string, tag int, address string) {
	c.t.Helper()
	if err := c.Kill(host, lab.PartAgent); err != nil {
		c.t.Fatal(err)
	}
	for _, line := range []string{"ovs-vsctl del-br contiv0", "ovs-vsctl add-br out -- set bridge out datapath_type=netdev -- add-port out " + nic,
		fmt.Sprintf("ovs-vsctl add-port out own tag=%d -- set interface own type=internal", tag), "ip addr add " + address + " dev own", "ip link set own up"} {
		if out, err := c.on(host, line); err != nil {
			c.t.Fatalf("%s: %s: %s%v", host, line, out, err)
		}
	}
}

// answersOutside waits until a service answers a client outside, in its own name, and checks that it is the same backend each time.
func (c *cluster) answersOutside(client string, address netip.Addr, run func(args ...string) (string, error)) {
	c.t.Helper()
	asks := func(path string) (string, error) {
		return run("curl", "-sS", "--max-time", "2", fmt.Sprintf("http://%s/%s", address, path))
	}
	c.eventually(fmt.Sprintf("%s answers %s outside", address, client), func() error {
		out, err := asks("clientip")
		if err != nil || !strings.HasPrefix(out, client+":") {
			return fmt.Errorf("it says %q (%v)", out, err)
		}
		return nil
	})
	seen := map[string]int{}
	for range 10 {
		out, err := asks("hostname")
		if err != nil {
			c.t.Errorf("%s asks %s: %v", client, address, err)
		}
		seen[out]++
	}
	if len(seen) != 1 || seen["web"]+seen["far"] != 10 {
		c.t.Errorf("%s asks %s ten times: want one backend, got %v", client, address, seen)
	}
}

// tryOutside runs a command on the router and returns what it prints.
func (c *cluster) tryOutside(args ...string) (string, error) {
	return output(c.RouterCommand(c.t.Context(), args...))
}

// outside is tryOutside, which must succeed.
func (c *cluster) outside(args ...string) string {
	c.t.Helper()
	out, err := c.tryOutside(args...)
	if err != nil {
		c.t.Fatalf("outside: %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// router runs a BGP router on the trunks until the test ends.
func (c *cluster) router(args ...string) {
	c.t.Helper()
	run := exec.Command(filepath.Join(c.bin, lab.Program), append([]string{"--dir", filepath.Dir(c.Dir), "--name", c.Name, "router"}, args...)...)
	out, err := run.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	hold, err := run.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	run.Stderr = c.t.Output()
	if err := run.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = hold.Close()
		_ = run.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "listening") {
		c.t.Fatalf("router: it says %q (%v)", line, err)
	}
}

// Rates of pods hold, in both directions, and outlive the agent.
func TestBandwidth(t *testing.T) {
	c := start(t, lab.Plan{Name: "krate"})
	sink := c.create(pod{name: "sink", host: "h1", more: map[string]any{"command": []string{"sh", "-c", "while true; do nc -l -p 9000 > /dev/null; done"}}})
	quick := c.create(pod{name: "quick", host: "h2"})
	slow := c.create(pod{name: "slow", host: "h2", annotations: map[string]string{"kubernetes.io/egress-bandwidth": "4M"}})
	small := c.create(pod{name: "small", host: "h2", annotations: map[string]string{"kubernetes.io/ingress-bandwidth": "4M"},
		more: map[string]any{"command": []string{"sh", "-c", "while true; do nc -l -p 9000 > /dev/null; done"}}})
	for _, p := range []*running{sink, quick, slow, small} {
		p.ready()
	}
	// 2 MB are 16 Mbit: 4 s at 4 Mbit/s, less what may pass at once.
	takes := func(from, to *running) time.Duration {
		began := time.Now()
		c.eventually(from.name+" sends to "+to.name, func() error {
			began = time.Now()
			_, err := from.exec("bash", "-c", fmt.Sprintf("head -c 2000000 /dev/zero | nc -N %s 9000", to.address(4))) // which waits for the other end
			return err
		})
		return time.Since(began)
	}
	rates := func(when string) {
		t.Helper()
		free := takes(quick, sink)
		for _, pair := range [][2]*running{{slow, sink}, {quick, small}} {
			if took := takes(pair[0], pair[1]); took < 3*time.Second {
				t.Errorf("%s: 2 MB from %s to %s took %s, want at least 3 s (%s without a rate)", when, pair[0].name, pair[1].name, took, free)
			}
		}
		if free > 3*time.Second {
			t.Errorf("%s: 2 MB without a rate took %s, which is no measure of rates", when, free)
		}
	}
	rates("at first")
	c.restart("h2", lab.PartAgent)
	rates("after the agent was killed")
	c.kubectl("delete", "pod", "slow", "--wait")
	again := c.run(pod{name: "slow", host: "h2"})
	if took := takes(again, sink); took > 3*time.Second {
		t.Errorf("a pod of the same name without a rate took %s", took)
	}
}
