// SPDX-License-Identifier: Apache-2.0

package inspect_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Inspecting a router asks its host's agent.
func TestBGP_Inspect(t *testing.T) {
	ctx := context.Background()
	answers := make(chan string, 1)
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if text := <-answers; q.URL.Path == "/inspect/bgp" && text != "" {
			_, _ = w.Write([]byte(text))
			return
		}
		http.NotFound(w, q)
	}))
	defer agent.Close()
	m := mastertest.Start(t, mastertest.Options{FwdMode: "routing"})
	mastertest.Put(t, m.Bgps(), &model.Bgp{Hostname: "h1", Routerip: "50.1.1.2/24"})
	m.Registered(t, "h1", agent.Listener.Addr().String())
	answers <- `{"Peers":[{"State":{"AdminState":"up","SessionState":"established"}}],"Dsts":["10.1.1.1/32","10.1.1.2/32"]}`
	got, err := m.Bgps().Inspect(ctx, "h1")
	if err != nil || got.Oper.NeighborStatus != "established" || got.Oper.AdminStatus != "up" || got.Oper.NumRoutes != 2 || !slices.Contains(got.Oper.Routes, "10.1.1.2/32") {
		t.Errorf("want what the agent says, got %+v, %v", got, err)
	}
	answers <- `{"Peers":null,"Dsts":null}`
	if got, err := m.Bgps().Inspect(ctx, "h1"); err != nil || got.Oper.NeighborStatus != "" || got.Oper.NumRoutes != 0 {
		t.Errorf("a router without peers: got %+v, %v", got, err)
	}
	answers <- `{"Peers":[{"Conf":{"NeighborAddress":"50.1.1.200","PeerAS":500},"State":{"AdminState":"up","SessionState":"established","Families":["ipv4","ipv6"],
		"Since":"2026-11-21T16:58:53Z","Received":4,"Announced":2}},{"Conf":{"NeighborAddress":"50.1.1.201","PeerAS":501},"State":{"AdminState":"up","SessionState":"active",
		"Reason":"hold timer expired","Restarting":true}}],"dsts":["20.1.1.0/24"],"kept":["20.1.1.0/24"],"announced":["10.1.1.1/32"],
		"nexthops":[{"address":"50.1.1.200","mac":"46:f0:be:ba:a7:bd","prefixes":3},{"address":"50.1.1.201","prefixes":1}]}`
	got, err = m.Bgps().Inspect(ctx, "h1")
	if err != nil {
		t.Fatal(err)
	}
	want := model.BgpOper{AdminStatus: "up", NeighborStatus: "active", NumRoutes: 1, Routes: []string{"20.1.1.0/24"}, Kept: []string{"20.1.1.0/24"},
		Announced: []string{"10.1.1.1/32"}, NextHops: []string{"50.1.1.200 46:f0:be:ba:a7:bd, 3 routes", "50.1.1.201 waits for its link address, 1 routes"},
		Neighbors: []string{"50.1.1.200 AS 500 established, ipv4+ipv6, 4 received, 2 announced, since 2026-11-21T16:58:53Z",
			"50.1.1.201 AS 501 active: hold timer expired, restarting, its routes are kept"}}
	if !reflect.DeepEqual(*got.Oper, want) {
		t.Errorf("several neighbours: want %+v, got %+v", want, *got.Oper)
	}
	answers <- ""
	_, err = m.Bgps().Inspect(ctx, "h1")
	mastertest.Refused(t, err, model.CodeNotReady, "404")
}

// Lists of neighbours are checked by the master; bodies that the original takes are taken as they are.
func TestBGP_Neighbours(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{FwdMode: "routing"})
	good := model.Bgp{Hostname: "h1", Routerip: "50.1.1.2/24", Routerip6: "fd50::2/64", As: "65002", Neighbor: "50.1.1.200,fd50::c8", NeighborAs: "500"}
	mastertest.Put(t, m.Bgps(), &good)
	old := model.Bgp{Hostname: "h2", Routerip: "50.1.1.3/24", As: "any text", Neighbor: "50.1.1.200", NeighborAs: ""}
	mastertest.Put(t, m.Bgps(), &old)
	for field, change := range map[string]func(b *model.Bgp){
		"neighbor-as": func(b *model.Bgp) { b.NeighborAs = "500,501,502" },
		"neighbor":    func(b *model.Bgp) { b.Routerip6 = "" },
		"as":          func(b *model.Bgp) { b.As = "0" },
		"routerip6":   func(b *model.Bgp) { b.Routerip6 = "fe80::1/64" },
	} {
		b := good
		change(&b)
		_, err := m.Bgps().Put(ctx, &b)
		mastertest.Refused(t, err, model.CodeInvalid, field)
	}
}
