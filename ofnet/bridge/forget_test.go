// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

const forgetState = `
self h0
ports tunnel=1000
host h0 vtep=192.168.251.1
tenant t id=1
tenant u id=2
network t:n id=100 vxlan=5000 bridge proxy net=10.0.0.0/24
network u:n id=101 vxlan=5001 bridge proxy net=10.0.0.0/24
service t:v address=10.0.0.253 ports=tcp:80:80,udp:53:5353 backends=10.0.0.1,10.0.0.2
endpoint e1 network=t:n host=h0 port=1 mac=02:02:0a:00:00:01 ip=10.0.0.1 ip6=fd00::1
endpoint e2 network=t:n host=h0 port=2 mac=02:02:0a:00:00:02 ip=10.0.0.2
endpoint u1 network=u:n host=h0 port=3 mac=02:02:0a:00:00:03 ip=10.0.0.1
`

// TestForget: what must not outlive a change is forgotten when Wait returns, however it goes with the connection.
func TestForget(t *testing.T) {
	sw := bridge.NewFake()
	r := bridge.NewReconciler("h0", pipeline.Default(), sw, quick)
	start(t, r)
	r.Update(1, fill(ofnettest.Parse(t, forgetState)))
	wait(t, r, 1)
	if got := sw.Forgotten(); len(got) != 0 {
		t.Errorf("at the start: want nothing forgotten, got %v", got)
	}
	seen := 0
	after := func(what string, want ...string) {
		t.Helper()
		var got []string
		for _, c := range sw.Forgotten()[seen:] {
			got = append(got, c.String())
		}
		seen += len(got)
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s: want forgotten\n%s\ngot\n%s", what, strings.Join(want, "\n"), strings.Join(got, "\n"))
		}
	}
	r.Update(2, func(s *ofnet.State) {
		v := *s.Services.Get("t:v")
		ofnettest.SetBackends(&v, ofnettest.Backends(&v)[1:]...)
		s.SetService(&v)
	})
	wait(t, r, 2)
	after("a backend goes", "zone=1 'ct_nw_dst=10.0.0.253,ct_nw_proto=17,ct_tp_dst=53' 'ct_nw_src=10.0.0.1,ct_nw_proto=17,ct_tp_src=5353'")

	sw.Stop() // the change waits for the switch
	r.Update(3, func(s *ofnet.State) { s.Endpoints.Delete("e1") })
	sw.Start()
	wait(t, r, 3)
	var want []string
	for _, a := range []string{"ct_nw_src=10.0.0.1", "ct_ipv6_src=fd00::1,ct_nw_proto=6", "ct_ipv6_src=fd00::1,ct_nw_proto=17"} {
		_, protocol, _ := strings.Cut(a, ",")
		want = append(want, fmt.Sprintf("zone=1 '%s' ''", a), fmt.Sprintf("zone=1 '%s' '%s'", protocol, a), fmt.Sprintf("zone=32769 '%s' ''", a))
	}
	after("an endpoint goes", want...)
	r.Update(4, func(s *ofnet.State) {
		e := *s.Endpoints.Get("e2")
		e.Port = 7
		s.Endpoints.Set("e2", &e)
	})
	wait(t, r, 4)
	after("another port")
	r.Update(5, func(s *ofnet.State) { s.Endpoints.Delete("u1") })
	wait(t, r, 5)
	after("an endpoint of a tenant that is not tracked goes")
	r.Update(6, func(s *ofnet.State) {
		s.Endpoints.Delete("e2")
		s.Tenants.Delete("t")
	})
	wait(t, r, 6)
	after("a tenant leaves the host", "zone=1 '' ''", "zone=32769 '' ''")
	if got := r.Counters().Forgotten; got != uint64(seen) {
		t.Errorf("counter: want %d, got %d", seen, got)
	}
}

// TestForget_Switch: a real switch takes every sort of selection.
func TestForget_Switch(t *testing.T) {
	_, sw := newOVS(t)
	r := bridge.NewReconciler("h0", pipeline.Default(), sw, quick)
	start(t, r)
	r.Update(1, fill(ofnettest.Parse(t, forgetState)))
	wait(t, r, 1)
	r.Update(2, func(s *ofnet.State) {
		s.Services.Delete("t:v")
		s.Endpoints.Delete("e1")
	})
	wait(t, r, 2)
	if got := r.Counters(); got.Forgotten < 4 == ovstest.Forgets(t) || got.Connections != 1 {
		t.Errorf("want the selections taken and the connection kept, got %+v", got)
	}
}
