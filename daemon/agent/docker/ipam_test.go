// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/daemon/master/catalog"
)

// A pool assigns every address once until it is full, and after that only released addresses.
func TestUntilThePoolIsFull(t *testing.T) {
	for _, row := range []struct {
		name, line string
		options    map[string]string
		six        bool
		want       int
	}{
		{"a network", "network blue encap=vxlan subnet=10.1.1.0/28 gateway=10.1.1.14", map[string]string{"network": "blue"}, false, 13},
		{"a group's own addresses", "group g networkName=big ipPool=10.2.1.10-10.2.1.15", map[string]string{"group": "g"}, false, 6},
		{"IPv6", "network blue encap=vxlan subnet=10.1.1.0/24 ipv6Subnet=fd01::/124", map[string]string{"network": "blue"}, true, 15},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, "network big encap=vxlan subnet=10.2.1.0/24", row.line)
			d := w.driver("h1")
			w.now = w.now.Add(time.Hour) // the agent has run for long
			pools, err := created(t, d, "n1", row.options, row.six)
			if err != nil {
				t.Fatal(err)
			}
			pool := pools[len(pools)-1]
			for range 3 {
				var got []string
				for {
					var a requestAddressResponse
					if err := call(t, d, "IpamDriver.RequestAddress", requestAddressRequest{PoolID: pool}, &a); err != nil {
						if !strings.Contains(err.Error(), "address") {
							t.Errorf("the refusal of a full pool: %v", err)
						}
						break
					}
					got = append(got, a.Address)
				}
				if n := len(slices.Compact(slices.Sorted(slices.Values(got)))); n != row.want || len(got) != n {
					t.Fatalf("want %d addresses, got %d: %v", row.want, len(got), got)
				}
				for _, a := range got {
					address, _, _ := strings.Cut(a, "/")
					if err := call(t, d, "IpamDriver.ReleaseAddress", releaseAddressRequest{PoolID: pool, Address: address}, &empty{}); err != nil {
						t.Fatal(err)
					}
				}
				if len(w.held()) != 0 {
					t.Fatalf("held: %v", w.held())
				}
			}
		})
	}
}

// making is a container in the view of its engine.
type making struct {
	host, id, address string
	at                time.Time // when the address was requested, or the endpoint made or deleted
	token             string    // by which it is held
	made, deleted     bool
}

// run is a world with two engines that create and delete containers in any order.
type run struct {
	*world
	drivers map[string]*Driver
	pool    string
	all     []*making
	serial  int
}

// For any order of the engines' requests, and any end of agents between them, no release frees an address that a container still has, and in
// the end all addresses are free.
func TestReleasesTakeFromNoOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, "network blue encap=vxlan subnet=10.1.1.0/29")
		defer w.Stop()
		r := &run{world: w, drivers: map[string]*Driver{"h1": w.driver("h1"), "h2": w.driver("h2")}}
		for host, d := range r.drivers {
			pools, err := created(t, d, "n-"+host, map[string]string{"network": "blue"}, false)
			if err != nil {
				rt.Fatal(err)
			}
			r.pool = pools[0]
		}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			w.now = w.now.Add(time.Duration(rapid.IntRange(0, 8).Draw(rt, "seconds")) * time.Second)
			r.step(t, rt)
			r.check(rt)
		}
		r.forsaken()
		for _, m := range slices.Clone(r.all) {
			r.end(t, m)
		}
		w.now = w.now.Add(time.Minute)
		if err := w.Service.ExpireNow(t.Context()); err != nil || len(w.held()) != 0 || len(w.attached) != 0 {
			rt.Fatalf("left: %v, %v, %v", err, w.held(), w.attached)
		}
	})
}

// forsaken drops containers whose engine ended during their creation: an engine completes a container within the time of two requests or not
// at all, and releases the address of a deleted one.
func (r *run) forsaken() {
	r.all = slices.DeleteFunc(r.all, func(m *making) bool {
		return !m.made && !m.deleted && r.now.Sub(m.at) >= holdSeconds*time.Second || m.deleted && r.now.Sub(m.at) >= releaseGrace
	})
}

func (r *run) step(t *testing.T, rt *rapid.T) {
	r.forsaken()
	host := rapid.SampledFrom([]string{"h1", "h2"}).Draw(rt, "host")
	op := rapid.SampledFrom([]string{"request", "request", "create", "create", "fail", "delete", "delete", "release", "restart", "expire"}).Draw(rt, "op")
	switch op {
	case "request":
		r.serial++
		m := &making{host: host, id: fmt.Sprintf("e%d", r.serial), at: r.now}
		var a requestAddressResponse
		if call(t, r.drivers[host], "IpamDriver.RequestAddress", requestAddressRequest{PoolID: r.pool}, &a) == nil {
			m.address, m.token = a.Address, r.held()[strings.TrimSuffix(a.Address, "/29")]
			r.all = append(r.all, m)
		}
		return
	case "restart":
		r.drivers[host] = r.driver(host)
		return
	case "expire":
		_ = r.Service.ExpireNow(t.Context())
		return
	}
	if len(r.all) == 0 {
		return
	}
	m := r.all[rapid.IntRange(0, len(r.all)-1).Draw(rt, "which")]
	switch {
	case op == "create" && !m.made && !m.deleted, op == "fail" && !m.made && !m.deleted:
		if op == "fail" {
			r.fail = errors.New("the switch does not answer")
		}
		q := endpointRequest{NetworkID: "n-" + m.host, EndpointID: m.id, Interface: &endpointInterface{Address: m.address}}
		err := call(t, r.drivers[m.host], "NetworkDriver.CreateEndpoint", q, &empty{})
		r.fail = nil
		m.at = r.now
		if m.made, m.deleted = err == nil, err != nil; op == "create" && err != nil {
			rt.Fatalf("%s does not get the address that it was promised: %v", m.id, err)
		}
	case op == "delete" && m.made:
		r.delete(t, m)
	case op == "release" && m.deleted: // the end of libnetwork's Delete, or of an endpoint that could not be made
		r.release(t, m)
	case op == "release" && !m.made: // another address of the endpoint could not be had
		r.release(t, m)
	}
}

func (r *run) delete(t *testing.T, m *making) {
	if err := call(t, r.drivers[m.host], "NetworkDriver.DeleteEndpoint", endpointRequest{NetworkID: "n-" + m.host, EndpointID: m.id}, &empty{}); err != nil {
		t.Fatal(err)
	}
	m.made, m.deleted, m.at = false, true, r.now
}

func (r *run) release(t *testing.T, m *making) {
	address, _, _ := strings.Cut(m.address, "/")
	if err := call(t, r.drivers[m.host], "IpamDriver.ReleaseAddress", releaseAddressRequest{PoolID: r.pool, Address: address}, &empty{}); err != nil {
		t.Fatal(err)
	}
	r.all = slices.DeleteFunc(r.all, func(o *making) bool { return o == m })
}

// end sends the requests of an engine for a removed container.
func (r *run) end(t *testing.T, m *making) {
	if m.made {
		r.delete(t, m)
	}
	r.release(t, m)
}

// check checks that a requested address is reserved until its time is over, and that an endpoint's address belongs only to it.
func (r *run) check(rt *rapid.T) {
	held := r.held()
	r.Catalog.View(func(v *catalog.View) {
		for _, m := range r.all {
			address, _, _ := strings.Cut(m.address, "/")
			switch {
			case m.made && r.attached[m.id].Endpoint.IP.String() != address:
				rt.Fatalf("%s has lost %s", m.id, address)
			case !m.made && !m.deleted && held[address] != m.token:
				rt.Fatalf("%s of %s was promised to %s, and is not held any more: %v", address, m.host, m.id, held)
			}
		}
	})
}
