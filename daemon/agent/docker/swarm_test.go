package docker

import "testing"

// In a swarm a manager says what a network stands for, and asks for the address of a task; the task's host asks for the same one.
func TestSwarm(t *testing.T) {
	w := newWorld(t, dual)
	manager, worker := w.driver("h1"), w.driver("h2")
	manager.Global, worker.Global = true, true
	var p requestPoolResponse
	if err := call(t, manager, "IpamDriver.RequestPool", requestPoolRequest{Options: map[string]string{"contiv-tag": "blue.default"}}, &p); err != nil {
		t.Fatal(err)
	}
	if err := call(t, worker, "NetworkDriver.CreateNetwork", networkRequest{NetworkID: "n1"}, &empty{}); err == nil {
		t.Error("a network that no manager has told of is taken")
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
	if err := call(t, manager, "IpamDriver.RequestAddress", requestAddressRequest{PoolID: p.PoolID}, &first); err != nil {
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
