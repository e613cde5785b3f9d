package server_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// register makes the agent of a host known, which listens at an address.
func register(t *testing.T, m *mastertest.Master, host, address string) {
	t.Helper()
	ip, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	instance := record.Service{ServiceName: record.ServiceAgent, HostAddr: ip, Port: port, Hostname: host}
	value, err := json.Marshal(instance)
	if err != nil {
		t.Fatal(err)
	}
	tx := &store.Tx{}
	tx.Put(instance.Key(), value)
	rev, err := m.Store.Commit(t.Context(), tx)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Catalog.Wait(t.Context(), rev); err != nil {
		t.Fatal(err)
	}
}

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
	mustPut(t, m.Bgps(), &model.Bgp{Hostname: "h1", Routerip: "50.1.1.2/24"})
	register(t, m, "h1", agent.Listener.Addr().String())
	answers <- `{"Peers":[{"State":{"AdminState":"up","SessionState":"established"}}],"Dsts":["10.1.1.1/32","10.1.1.2/32"]}`
	got, err := m.Bgps().Inspect(ctx, "h1")
	if err != nil || got.Oper.NeighborStatus != "established" || got.Oper.AdminStatus != "up" || got.Oper.NumRoutes != 2 || !slices.Contains(got.Oper.Routes, "10.1.1.2/32") {
		t.Errorf("want what the agent says, got %+v, %v", got, err)
	}
	answers <- `{"Peers":null,"Dsts":null}`
	if got, err := m.Bgps().Inspect(ctx, "h1"); err != nil || got.Oper.NeighborStatus != "" || got.Oper.NumRoutes != 0 {
		t.Errorf("a router without peers: got %+v, %v", got, err)
	}
	answers <- ""
	_, err = m.Bgps().Inspect(ctx, "h1")
	refusedWith(t, err, model.CodeNotReady, "404")
}
