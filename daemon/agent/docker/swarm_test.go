// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// asManager has the options that a swarm's manager sends with each request for an address.
var asManager = map[string]string{keySerial: "true"}

// In a swarm, a manager sends the options of a network and requests the address of a task; the task's host requests the same address.
func TestSwarm(t *testing.T) {
	w := newWorld(t, dual)
	manager, worker := w.driver("h1"), w.driver("h2")
	manager.Global, worker.Global = true, true
	var p requestPoolResponse
	if err := call(t, manager, "IpamDriver.RequestPool", requestPoolRequest{Options: map[string]string{"contiv-tag": "blue.default"}}, &p); err != nil {
		t.Fatal(err)
	}
	if err := call(t, worker, "NetworkDriver.CreateNetwork", networkRequest{NetworkID: "n1"}, &empty{}); err == nil {
		t.Error("a network without a request of a manager is accepted")
	}
	var answer allocateNetworkResponse
	q := networkRequest{NetworkID: "n1", Options: map[string]any{"x": "y"}, IPv4Data: []ipamData{{Pool: p.Pool, Gateway: p.Data[keyGateway]}}}
	if err := call(t, manager, "NetworkDriver.AllocateNetwork", q, &answer); err != nil || answer.Options["x"] != "y" {
		t.Fatalf("allocate: got %+v, %v", answer, err)
	}
	if err := call(t, worker, "NetworkDriver.CreateNetwork", networkRequest{NetworkID: "n1"}, &empty{}); err != nil {
		t.Error(err)
	}
	var first, again requestAddressResponse
	if err := call(t, manager, "IpamDriver.RequestAddress", requestAddressRequest{PoolID: p.PoolID, Options: asManager}, &first); err != nil {
		t.Fatal(err)
	}
	if err := call(t, worker, "IpamDriver.RequestAddress", requestAddressRequest{PoolID: p.PoolID, Address: "10.1.1.1"}, &again); err != nil || again.Address != first.Address {
		t.Fatalf("the task's host asks for %s: got %+v, %v", first.Address, again, err)
	}
	e := endpointRequest{NetworkID: "n1", EndpointID: "e1", Interface: &endpointInterface{Address: again.Address}}
	if err := call(t, worker, "NetworkDriver.CreateEndpoint", e, &empty{}); err != nil || w.attached["e1"].Endpoint.Host != "h2" {
		t.Errorf("endpoint: %v, %+v", err, w.attached)
	}
	if err := call(t, manager, "IpamDriver.ReleaseAddress", releaseAddressRequest{PoolID: p.PoolID, Address: "10.1.1.1"}, &empty{}); err != nil {
		t.Error(err)
	}
	if err := call(t, worker, "NetworkDriver.DeleteEndpoint", e, &empty{}); err != nil || len(w.attached) != 0 {
		t.Errorf("delete: %v, %v", err, w.attached)
	}
	if err := call(t, worker, "NetworkDriver.DeleteNetwork", networkID{"n1"}, &empty{}); err != nil {
		t.Error(err)
	}
	if _, err := w.Do("rm network blue"); err == nil {
		t.Error("the network goes while the swarm has it")
	}
	if err := call(t, manager, "NetworkDriver.FreeNetwork", networkID{"n1"}, &empty{}); err != nil {
		t.Error(err)
	}
	w.Must(t, "rm network blue")
}

// swarmed is a swarm with a network, whose manager is on h1 and whose hosts are h1 and h2.
type swarmed struct {
	*world
	t       *testing.T
	pool    string
	drivers map[string]*Driver
}

func newSwarm(t *testing.T) *swarmed {
	t.Helper()
	w := newWorld(t, "network blue encap=vxlan subnet=10.1.1.0/28", "claim h1", "claim h2")
	s := &swarmed{world: w, t: t, drivers: map[string]*Driver{}}
	for _, host := range []string{"h1", "h2"} {
		s.drivers[host] = w.driver(host)
		s.drivers[host].Global = true
	}
	var p requestPoolResponse
	if err := call(t, s.drivers["h1"], "IpamDriver.RequestPool", requestPoolRequest{Options: map[string]string{"network": "blue"}}, &p); err != nil {
		t.Fatal(err)
	}
	q := networkRequest{NetworkID: "n1", IPv4Data: []ipamData{{Pool: p.Pool, Gateway: p.Data[keyGateway]}}}
	if err := call(t, s.drivers["h1"], "NetworkDriver.AllocateNetwork", q, &allocateNetworkResponse{}); err != nil {
		t.Fatal(err)
	}
	s.pool = p.PoolID
	return s
}

// ask sends the requests of a manager on a host for a service or a task. It returns the address without its prefix length, or the error.
func (s *swarmed) ask(host, wanted string) string {
	s.t.Helper()
	var a requestAddressResponse
	if err := call(s.t, s.drivers[host], "IpamDriver.RequestAddress", requestAddressRequest{PoolID: s.pool, Address: wanted, Options: asManager}, &a); err != nil {
		return err.Error()
	}
	address, _, _ := strings.Cut(a.Address, "/")
	return address
}

// run sends the requests of a task's host for a container. It returns the error, "" for success.
func (s *swarmed) run(host, id, address string) string {
	s.t.Helper()
	var a requestAddressResponse
	if err := call(s.t, s.drivers[host], "IpamDriver.RequestAddress", requestAddressRequest{PoolID: s.pool, Address: address}, &a); err != nil {
		return err.Error()
	}
	e := endpointRequest{NetworkID: "n1", EndpointID: id, Interface: &endpointInterface{Address: a.Address}}
	if err := call(s.t, s.drivers[host], "NetworkDriver.CreateEndpoint", e, &empty{}); err != nil {
		s.release(host, address)
		return err.Error()
	}
	return ""
}

// end sends the requests of a task's host after the end of the container.
func (s *swarmed) end(host, id, address string) {
	s.t.Helper()
	if err := call(s.t, s.drivers[host], "NetworkDriver.DeleteEndpoint", endpointRequest{NetworkID: "n1", EndpointID: id}, &empty{}); err != nil {
		s.t.Error(err)
	}
	s.release(host, address)
}

func (s *swarmed) release(host, address string) {
	s.t.Helper()
	if err := call(s.t, s.drivers[host], "IpamDriver.ReleaseAddress", releaseAddressRequest{PoolID: s.pool, Address: address}, &empty{}); err != nil {
		s.t.Error(err)
	}
}

// later fails the test unless exactly these addresses are reserved after some time.
func (s *swarmed) later(d time.Duration, want ...string) {
	s.t.Helper()
	s.now = s.now.Add(d)
	s.Must(s.t, "expire")
	if got := slices.Sorted(maps.Keys(s.held())); !slices.Equal(got, want) {
		s.t.Errorf("held: want %v, got %v", want, got)
	}
}

// An address that a manager requests for a service or a future task belongs to the swarm until a manager releases it.
func TestSwarmAddressesStay(t *testing.T) {
	s := newSwarm(t)
	vip, tasks := s.ask("h1", ""), s.ask("h1", "")
	s.later(24*time.Hour, vip, tasks)
	if got := s.run("h2", "e1", tasks); got != "" {
		t.Fatalf("a task after a day: %s", got)
	}
	if got := s.run("h2", "e2", tasks); !strings.Contains(got, "not available (endpoint default:blue:e1 has it)") {
		t.Errorf("a second container with the address: %s", got)
	}
	s.later(time.Hour, vip)
	s.drivers["h1"], s.drivers["h2"] = s.driver("h1"), s.driver("h2")
	s.drivers["h1"].Global, s.drivers["h2"].Global = true, true // their agents have started again
	for _, address := range []string{vip, tasks} {
		if got := s.ask("h2", address); got != address {
			t.Errorf("another manager begins to lead, and asks for %s: %s", address, got)
		}
	}
	s.later(time.Hour, vip)
	s.end("h2", "e1", tasks)
	s.later(time.Minute, vip, tasks) // the manager is not informed yet
	s.release("h2", tasks)
	s.later(0, vip)
	next := s.ask("h2", "")
	if next == vip {
		t.Errorf("the service's address %s is given to another", vip)
	}
	s.release("h2", vip)
	s.later(0, next)
}

// Addresses that no manager releases are freed with their cause: the end of a task, the swarm's network, the manager's host.
func TestSwarmAddressesEnd(t *testing.T) {
	for _, row := range []struct {
		name string
		ends func(s *swarmed, vip string)
	}{
		{"a task whose end no manager reports", func(s *swarmed, vip string) {
			if got := s.run("h2", "e1", vip); got != "" {
				s.t.Fatal(got)
			}
			s.end("h2", "e1", vip)
			s.later(5*time.Minute, vip)
			s.now = s.now.Add(6 * time.Minute)
		}},
		{"the swarm's network", func(s *swarmed, _ string) {
			if err := call(s.t, s.drivers["h1"], "NetworkDriver.FreeNetwork", networkID{"n1"}, &empty{}); err != nil {
				s.t.Fatal(err)
			}
		}},
		{"the manager's host", func(s *swarmed, vip string) {
			s.Must(s.t, "forget h2")
			s.later(0, vip)
			s.Must(s.t, "forget h1")
		}},
		{"an operator", func(s *swarmed, vip string) { s.Must(s.t, "free default:blue "+vip) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSwarm(t)
			vip := s.ask("h1", "")
			s.later(time.Hour, vip)
			row.ends(s, vip)
			s.later(0)
		})
	}
}

// A container that is not a task of the swarm does not get an address of the swarm.
func TestSwarmAddressesAreNoOneElses(t *testing.T) {
	s := newSwarm(t)
	vip := s.ask("h1", "")
	if _, err := s.Do("attach blue pod address=" + vip); err == nil || !strings.Contains(err.Error(), "a service or task of a swarm has it") {
		t.Errorf("a pod asks for %s: %v", vip, err)
	}
	if got := s.run("h2", "e1", "10.9.9.9"); !strings.Contains(got, `"10.9.9.9" is not an address of subnet 10.1.1.0/28`) {
		t.Errorf("an address of another subnet: %s", got)
	}
}
