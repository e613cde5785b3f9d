// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

// swarm makes two hosts a swarm, the first its manager, with the managed plugin enabled on both before. It returns the plugin.
func swarm(t *testing.T, name string) *managed {
	t.Helper()
	l := up(t, lab.Plan{Name: name, Hosts: 2, Bare: true})
	m := install(t, l, packed(t, "v1"))
	for _, h := range l.HostList() {
		m.logged(h.Name, "netplugin", "msg=ready", 1)
	}
	first := l.HostList()[0].IP
	docker(t, l, "h1", "swarm", "init", "--advertise-addr", first)
	docker(t, l, "h2", "swarm", "join", "--token", docker(t, l, "h1", "swarm", "join-token", "-q", "worker"), first+":2377")
	return m
}

// task is a container of a service.
type task struct{ host, id, ip string }

// running are the containers of a service that run, with their addresses in a network.
func (m *managed) running(service, network string) (out []task) {
	m.t.Helper()
	for _, h := range m.lab.HostList() {
		for _, id := range strings.Fields(docker(m.t, m.lab, h.Name, "ps", "-q", "--filter", "label=com.docker.swarm.service.name="+service)) {
			ip, err := on(m.t, m.lab, h.Name, "docker", "inspect", "-f", "{{(index .NetworkSettings.Networks \""+network+"\").IPAddress}}", id)
			if err == nil && ip != "" {
				out = append(out, task{h.Name, id, ip})
			}
		}
	}
	return out
}

// settle waits until a service has a number of containers on each host, and returns them.
func (m *managed) settle(service, network string, hosts map[string]int) (out []task) {
	m.t.Helper()
	within(m.t, time.Minute, func() error {
		got := map[string]int{}
		out = m.running(service, network)
		for _, c := range out {
			got[c.host]++
		}
		for host, want := range hosts {
			if got[host] != want {
				why, _ := on(m.t, m.lab, "h1", "docker", "service", "ps", "--no-trunc", "--format", "{{.Name}} {{.Node}} {{.CurrentState}} {{.Error}}", service)
				return fmt.Errorf("service %s: %s has %d containers, want %d:\n%s", service, host, got[host], want, why)
			}
		}
		return nil
	})
	return out
}

// mesh fails the test unless each of the containers reaches each other.
func (m *managed) mesh(all []task) {
	m.t.Helper()
	for _, from := range all {
		for _, to := range all {
			if from.id == to.id {
				continue
			}
			within(m.t, 10*time.Second, func() error {
				if out, err := on(m.t, m.lab, from.host, "docker", "exec", from.id, "ping", "-n", "-c", "1", "-W", "1", to.ip); err != nil {
					return fmt.Errorf("%s on %s does not reach %s on %s: %s", from.ip, from.host, to.ip, to.host, out)
				}
				return nil
			})
		}
	}
}

// names are those of Contiv's networks or groups, or of what else netctl lists.
func (m *managed) names(kind string) []string {
	m.t.Helper()
	return strings.Fields(m.netctl(kind, "ls", "-q"))
}

// SWM-01: a network that Docker makes is one of tenant default, of VXLAN, with the Docker network's id as its name. Its tasks on
// both hosts reach each other, whatever the service's scale.
func TestSwarm(t *testing.T) {
	m := swarm(t, "swarm")
	l := m.lab
	before := m.names("network")
	docker(t, l, "h1", "network", "create", "-d", pluginName, "--ipam-driver", pluginName, "--subnet", "10.10.1.0/24", "--gateway", "10.10.1.254", "web")
	id := docker(t, l, "h1", "network", "inspect", "-f", "{{.ID}}", "web")
	if got := m.netctl("network", "inspect", id); !strings.Contains(got, `"encap": "vxlan"`) || !strings.Contains(got, `"tenantName": "default"`) {
		t.Errorf("the network that Docker has made: %s", got)
	}
	docker(t, l, "h1", "service", "create", "-d", "--name", "s", "--network", "web", "--replicas", "4", "--endpoint-mode", "dnsrr", lab.Image)
	m.mesh(m.settle("s", "web", map[string]int{"h1": 2, "h2": 2}))
	docker(t, l, "h1", "service", "scale", "-d", "s=6")
	m.mesh(m.settle("s", "web", map[string]int{"h1": 3, "h2": 3}))
	docker(t, l, "h1", "service", "scale", "-d", "s=2")
	m.settle("s", "web", map[string]int{"h1": 1, "h2": 1})
	docker(t, l, "h1", "node", "update", "--availability", "drain", "h2")
	m.mesh(m.settle("s", "web", map[string]int{"h1": 2, "h2": 0}))
	docker(t, l, "h1", "node", "update", "--availability", "active", "h2")
	docker(t, l, "h1", "service", "scale", "-d", "s=4")
	m.mesh(m.settle("s", "web", map[string]int{"h1": 2, "h2": 2}))

	docker(t, l, "h1", "service", "rm", "s")
	m.settle("s", "web", map[string]int{"h1": 0, "h2": 0})
	m.keeps("web", id)
	within(t, 30*time.Second, func() error {
		if out, err := on(t, l, "h1", "docker", "network", "rm", "web"); err != nil {
			return fmt.Errorf("docker network rm web: %s", out)
		}
		return nil
	})
	within(t, 30*time.Second, func() error {
		if got := m.names("network"); !slices.Equal(got, before) {
			return fmt.Errorf("networks after Docker's is gone: %v, want %v", got, before)
		}
		return nil
	})
}

// SWM-02: a tag binds a Docker network to a group that is there, which cannot be deleted as long as Docker has the network.
func TestSwarmTags(t *testing.T) {
	m := swarm(t, "tags")
	l := m.lab
	m.netctl("network", "create", "--encap", "vxlan", "--subnet", "10.11.1.0/24", "--gateway", "10.11.1.254", "net")
	m.netctl("group", "create", "net", "db")
	before := m.names("network")
	tag := func(tag, name string) (string, error) {
		return on(t, l, "h1", "docker", "network", "create", "-d", pluginName, "--ipam-driver", pluginName,
			"-o", "contiv-tag="+tag, "--ipam-opt", "contiv-tag="+tag, name)
	}
	if out, err := tag("nonesuch", "x"); err != nil { // a swarm answers before it has asked the driver
		t.Fatalf("docker network create: %s", out)
	}
	m.logged("h1", "netplugin", "nonesuch", 1)
	docker(t, l, "h1", "network", "rm", "x")
	if out, err := tag("db.default", "db"); err != nil {
		t.Fatalf("docker network create: %s", out)
	}
	within(t, 30*time.Second, func() error { // here too
		if got := m.netctl("docknet", "ls"); !strings.Contains(got, " db ") {
			return fmt.Errorf("the driver has not been asked for the group's network: %s", got)
		}
		return nil
	})
	if got := m.names("network"); !slices.Equal(got, before) {
		t.Errorf("networks: want %v, got %v", before, got)
	}
	if out, err := netctl(t, m.master, "group", "rm", "db"); err == nil {
		t.Errorf("the group of a Docker network was deleted: %s", out)
	}
	docker(t, l, "h1", "service", "create", "-d", "--name", "s", "--network", "db", "--replicas", "2", "--endpoint-mode", "dnsrr", lab.Image)
	all := m.settle("s", "db", map[string]int{"h1": 1, "h2": 1})
	m.mesh(all)
	for _, c := range all {
		if !strings.HasPrefix(c.ip, "10.11.1.") {
			t.Errorf("a task has %s, which is not of the group's network", c.ip)
		}
	}
	docker(t, l, "h1", "service", "rm", "s")
	m.settle("s", "db", map[string]int{"h1": 0, "h2": 0})
	within(t, 30*time.Second, func() error {
		if out, err := on(t, l, "h1", "docker", "network", "rm", "db"); err != nil {
			return fmt.Errorf("docker network rm db: %s", out)
		}
		return nil
	})
	within(t, 30*time.Second, func() error {
		if out, err := netctl(t, m.master, "group", "rm", "db"); err != nil {
			return fmt.Errorf("netctl group rm: %s", out)
		}
		return nil
	})
}

// keeps fails the test unless a service's virtual address is the service's without an end, also when the manager's engine begins again, and
// free when the service is gone; network is Contiv's of a Docker network.
func (m *managed) keeps(on, network string) {
	m.t.Helper()
	create := []string{"service", "create", "-d", "--name", "vip", "--network", on, "--replicas", "2", "--endpoint-mode", "vip", lab.Image}
	docker(m.t, m.lab, "h1", create...)
	tasks := m.settle("vip", on, map[string]int{"h1": 1, "h2": 1})
	m.mesh(tasks)
	vip := m.vip("vip")
	held := func(when string) {
		m.t.Helper()
		got := m.addresses(network)
		if s := got[vip]; s.State != model.OwnerHold || s.Owner.Until != nil || s.Owner.Reason != "a service or task of the swarm, by its manager on h1" {
			m.t.Errorf("%s: the service's address %s: got %+v %+v", when, vip, s, s.Owner)
		}
		for address, s := range got {
			if address != vip && s.State == model.OwnerHold && s.Owner.Until == nil {
				m.t.Errorf("%s: %s is held without an end: %+v", when, address, s.Owner)
			}
		}
	}
	held("a new service")
	if err := m.lab.Kill("h1", lab.PartDocker); err != nil {
		m.t.Fatal(err)
	}
	if err := m.lab.Start(m.t.Context(), "h1", lab.PartDocker); err != nil {
		m.t.Fatal(err)
	}
	m.mesh(m.settle("vip", on, map[string]int{"h1": 1, "h2": 1}))
	if got := m.vip("vip"); got != vip {
		m.t.Errorf("the service's address after its manager started again: %s, want %s", got, vip)
	}
	held("after the manager started again")
	docker(m.t, m.lab, "h1", "service", "rm", "vip")
	m.settle("vip", on, map[string]int{"h1": 0, "h2": 0})
	within(m.t, 2*time.Minute, func() error { // what died with the engine is released once that is proved
		if got := m.netctl("endpoint", "ls", "-o", "name"); got != "" {
			return fmt.Errorf("endpoints are left: %s", got)
		}
		return nil
	})
	within(m.t, 30*time.Second, func() error {
		if s, has := m.addresses(network)[vip]; has {
			return fmt.Errorf("the service is gone, and %s is not free: %+v %+v", vip, s, s.Owner)
		}
		return nil
	})
}

// vip is the virtual address of a service, on its one network.
func (m *managed) vip(service string) string {
	m.t.Helper()
	text := docker(m.t, m.lab, "h1", "service", "inspect", "-f", "{{range .Endpoint.VirtualIPs}}{{.Addr}} {{end}}", service)
	p, err := netip.ParsePrefix(text)
	if err != nil {
		m.t.Fatalf("virtual addresses of %s: %q", service, text)
	}
	return p.Addr().String()
}

// addresses are those of a network that are not free.
func (m *managed) addresses(network string) map[string]model.AddressState {
	m.t.Helper()
	var list []model.AddressState
	if err := json.Unmarshal([]byte(m.netctl("ip", "show", network, "--json")), &list); err != nil {
		m.t.Fatal(err)
	}
	out := map[string]model.AddressState{}
	for _, s := range list {
		out[s.Address] = s
	}
	return out
}
