// SPDX-License-Identifier: Apache-2.0

package adopt_test

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/adopt"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// restored returns a cluster whose store follows another one.
func restored(t *testing.T, cause record.Cause, lines ...string) (*enginetest.World, *adopt.Engine) {
	t.Helper()
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, lines...)
	return w, adopt.New(adopt.Config{Commit: w.Commit, Catalog: w.Catalog, Admit: w.Admit, Log: slog.New(slog.DiscardHandler),
		Incarnation: record.Incarnation{ID: strings.Repeat("b", 26), Predecessors: []string{strings.Repeat("a", 26)}, Cause: cause}})
}

// carries returns an endpoint as a host carries it.
func carries(host, network, name, ip string) record.Endpoint {
	a := netip.MustParseAddr(ip)
	b := a.As4()
	return record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: "default", Name: network}, Endpoint: name}, IP: a, Host: host,
		MAC: record.MAC{2, 2, b[0], b[1], b[2], b[3]}, ContainerID: name}
}

func offer(host string, list ...record.Endpoint) channel.Offer {
	return channel.Offer{Host: host, Endpoints: list}
}

// has returns the address of an endpoint in the store, "" if there is no such endpoint.
func has(w *enginetest.World, network, name string) (ip string) {
	w.Catalog.View(func(v *catalog.View) {
		if e := v.Endpoint(identity.Endpoint{Network: identity.Network{Tenant: "default", Name: network}, Endpoint: name}); e != nil {
			ip = e.IP.String() + " " + e.Host
		}
	})
	return ip
}

const blue = "network blue encap=vxlan subnet=10.1.1.0/24"

// An endpoint that runs, but is missing in the store, is added with its address, and no other endpoint gets that address. An endpoint that
// contradicts the store waits for an operator; the conflict has both names.
func TestOffer(t *testing.T) {
	w, e := restored(t, record.CauseRestore, blue)
	known := carries("h1", "blue", "known", "10.1.1.1")
	held := carries("h3", "blue", "holder", "10.1.1.7")
	for _, o := range []channel.Offer{offer("h1", known), offer("h3", held)} {
		if _, _, err := e.Offer(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	out, _, err := e.Offer(t.Context(), offer("h1", known, carries("h1", "blue", "late", "10.1.1.4"), carries("h1", "blue", "twice", "10.1.1.7"),
		carries("h1", "green", "lost", "10.2.1.1"), carries("h1", "blue", "outside", "10.9.9.9")))
	if err != nil || !slices.Equal(out.Adopted, []string{"default:blue:late"}) || !slices.Equal(out.Conflicts, []string{"default:blue:twice", "default:green:lost", "default:blue:outside"}) {
		t.Fatalf("want one adopted and three conflicts, got %+v, %v", out, err)
	}
	if got := has(w, "blue", "late"); got != "10.1.1.4 h1" {
		t.Errorf("want the endpoint with its address, got %q", got)
	}
	list := e.List()
	if len(list) != 3 || list[1].Name != "default:blue:twice" || list[1].Holder != "default:blue:holder" || list[1].Host != "h1" || !strings.Contains(list[1].Reason, "10.1.1.7 at endpoint default:blue:holder on host h3") {
		t.Errorf("want the conflicts with both names, got %+v", list)
	}
	if again, _, err := e.Offer(t.Context(), offer("h1", known, carries("h1", "blue", "late", "10.1.1.4"))); err != nil || len(again.Adopted)+len(again.Conflicts) != 0 || len(e.List()) != 0 {
		t.Errorf("what has ended: want nothing left of it, got %+v, %v, %v", again, e.List(), err)
	}
	for _, o := range []channel.Offer{offer("h1", held), offer("h1", make([]record.Endpoint, channel.MaxOffer+1)...)} {
		if _, _, err := e.Offer(t.Context(), o); err == nil {
			t.Error("another host's endpoint, or too many: want a refusal")
		}
	}
}

// The tenants, networks and groups of running endpoints are recreated with their numbers during the adoption of a new incarnation, and not
// later.
func TestGrounds(t *testing.T) {
	for _, cause := range []record.Cause{record.CauseNewStore, record.CauseInit} {
		w, e := restored(t, cause)
		o := offer("h1", carries("h1", "green", "c1", "10.2.1.3"))
		o.Tenants = []record.Tenant{{ID: "default", Tenant: "default", VRF: 1}}
		id := identity.Network{Tenant: "default", Name: "green"}
		o.Networks = []record.Network{{ID: id, Kind: record.DataNetwork, Encap: record.VXLAN, PktTag: 2, ExtPktTag: 17, Subnet: netip.MustParsePrefix("10.2.1.0/24")}}
		spec := o.Networks[0].Spec()
		o.Networks[0].Addresses = spec.Range()
		out, _, err := e.Offer(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		var vni int
		w.Catalog.View(func(v *catalog.View) {
			if n := v.Network(id); n != nil {
				vni = n.Record.ExtPktTag
			}
		})
		if made := cause == record.CauseNewStore; made != (vni == 17) || made != (has(w, "green", "c1") == "10.2.1.3 h1") || made != (len(out.Conflicts) == 0) {
			t.Errorf("%s: want the network made %t, got VNI %d, %+v, %q", cause, made, vni, out, has(w, "green", "c1"))
		}
	}
}

// An operator accepts a running endpoint in place of the contradicting one, or drops it. A host that offers a dropped endpoint again is
// informed of that.
func TestDecide(t *testing.T) {
	w, e := restored(t, record.CauseRestore, blue)
	if _, _, err := e.Offer(t.Context(), offer("h3", carries("h3", "blue", "holder", "10.1.1.7"))); err != nil {
		t.Fatal(err)
	}
	twice := offer("h1", carries("h1", "blue", "twice", "10.1.1.7"))
	decide := func(accept bool) error {
		if _, _, err := e.Offer(t.Context(), twice); err != nil {
			t.Fatal(err)
		}
		_, _, err := e.Decide(t.Context(), model.AdoptionDecision{Name: "default:blue:twice", Accept: accept}, w.Service)
		return err
	}
	if err := decide(false); err != nil || len(e.List()) != 0 {
		t.Errorf("dropped: want nothing to decide, got %v, %v", e.List(), err)
	}
	if out, _, err := e.Offer(t.Context(), twice); err != nil || !slices.Equal(out.Dropped, []string{"default:blue:twice"}) || has(w, "blue", "holder") == "" {
		t.Errorf("want its host to receive that it is dropped, got %+v, %v", out, err)
	}
	if _, _, err := e.Offer(t.Context(), offer("h1")); err != nil {
		t.Fatal(err)
	}
	if err := decide(true); err != nil || has(w, "blue", "twice") != "10.1.1.7 h1" || has(w, "blue", "holder") != "" || len(e.List()) != 0 {
		t.Errorf("accepted: want it in place of the other, got %q, %q, %v, %v", has(w, "blue", "twice"), has(w, "blue", "holder"), e.List(), err)
	}
	if _, _, err := e.Decide(t.Context(), model.AdoptionDecision{Name: "default:blue:none"}, w.Service); err == nil || !strings.Contains(err.Error(), "waits for a decision") {
		t.Errorf("want it unknown, got %v", err)
	}
}

// Nothing is assigned until every host in the store has offered its endpoints. A store that follows no other does not wait.
func TestHeld(t *testing.T) {
	w, e := restored(t, record.CauseRestore, blue)
	held := func(e *adopt.Engine) (err error) {
		w.Catalog.View(func(v *catalog.View) { err = e.Held(v) })
		return err
	}
	if err := held(adopt.New(adopt.Config{Catalog: w.Catalog, Incarnation: record.Incarnation{ID: "x", Cause: record.CauseInit}})); err != nil {
		t.Errorf("a first store: want nothing held, got %v", err)
	}
	s := endpoint.New(w.Commit, w.Catalog, endpoint.Settings{ClusterMode: "kubernetes", Held: e.Held}, slog.New(slog.DiscardHandler))
	request := model.CreateEndpointRequest{TenantName: "default", NetworkName: "blue", ConfigEP: model.EndpointConfigRequest{Container: "c1", Host: "h1"}}
	if _, _, err := w.Service.Create(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Create(t.Context(), request); err != nil {
		t.Errorf("one that there is: want it as it is, got %v", err)
	}
	other := request
	other.ConfigEP.Container = "c2"
	_, _, made := s.Create(t.Context(), other)
	_, _, deleted := s.Delete(t.Context(), model.DeleteEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: "c1"})
	_, given := s.Allocate(t.Context(), model.AllocAddressRequest{NetworkID: "blue.default"})
	for what, err := range map[string]error{"an endpoint": made, "a deletion": deleted, "an address": given} {
		if err == nil || model.AsError(err).Code != model.CodeUnavailable || !strings.Contains(err.Error(), "no address is assigned twice") {
			t.Errorf("%s: want a refusal with the reason, got %v", what, err)
		}
	}
	w.Registered(t, "h1", "192.0.2.1:9090")
	w.Registered(t, "h2", "192.0.2.2:9090")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	done := make(chan struct{})
	later := adopt.New(e.Config) // of the netmaster that leads when the last one has offered
	go func() { defer close(done); later.Run(ctx) }()
	for _, host := range []string{"h1", "h2"} {
		if err := held(e); err == nil || model.AsError(err).Code != model.CodeUnavailable || e.Awaited() == "" {
			t.Errorf("before %s: want a refusal that is worth repeating, got %v", host, err)
		}
		if _, _, err := e.Offer(t.Context(), offer(host)); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-done:
	case <-ctx.Done():
		t.Fatal("want the adoption to end with the last host")
	}
	if _, _, err := s.Create(t.Context(), other); err != nil {
		t.Errorf("all have offered: want an endpoint, got %v", err)
	}
	if err := held(e); err != nil || e.Awaited() != "" {
		t.Errorf("all have offered: want nothing held, got %v", err)
	}
}

// An empty store ends the wait when all hosts of the previous store have offered their endpoints, according to this host's notes; without
// notes, it waits for the whole period.
func TestRoster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, row := range []struct {
			roster []string
			late   bool
		}{{[]string{"h1", "h2"}, false}, {nil, true}} {
			_, e := restored(t, record.CauseNewStore)
			e.Roster = row.roster
			began := time.Now()
			done := make(chan struct{})
			go func() { defer close(done); e.Run(t.Context()) }()
			for n, host := range []string{"h1", "h2"} {
				if w := e.Waiting(); w == nil || w.Complete == row.late || len(w.Offered) != n || len(row.roster) > 0 && len(w.Missing) != 2-n {
					t.Errorf("before %s: got %+v", host, w)
				}
				if _, _, err := e.Offer(t.Context(), offer(host)); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			<-done
			if took := time.Since(began); row.late != (took >= adopt.OfferTimeout) || e.Waiting() != nil {
				t.Errorf("roster %v: it took %v, and waits for %+v", row.roster, took, e.Waiting())
			}
		}
	})
}
