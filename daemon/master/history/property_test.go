// SPDX-License-Identifier: Apache-2.0

package history_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
)

// world is a cluster whose masters fail.
type world struct {
	t      *testing.T
	data   *memory.Store // the test's own way to the store
	client *memory.Store // the present master's
	opts   mastertest.Options
	now    time.Time
	*mastertest.Master
}

// newMaster replaces the master, running or not, by a new leader.
func (w *world) newMaster() {
	if w.Master != nil {
		w.Stop()
	}
	w.unlock()
	w.client = w.data.Open()
	w.opts.Store = w.client
	w.Master = mastertest.Start(w.t, w.opts)
}

// unlock ends the present term without its master's knowledge.
func (w *world) unlock() {
	w.t.Helper()
	tx := &store.Tx{}
	tx.Delete(record.LeaderKey)
	if _, err := w.data.Commit(context.Background(), tx); err != nil {
		w.t.Fatal(err)
	}
}

// fresh returns the catalog of a master that starts with the present store.
func (w *world) fresh() *catalog.Catalog {
	c := catalog.New()
	if err := c.Load(context.Background(), w.data, slog.New(slog.DiscardHandler)); err != nil {
		w.t.Fatal(err)
	}
	return c
}

// owned returns the owner of each address, according to the types of the records and not to the history's decoding.
func owned(v *catalog.View) map[string]string {
	out := map[string]string{}
	add := func(network identity.Network, address, owner string) {
		if address == "" {
			return
		}
		place := network.String() + " " + address
		if before, taken := out[place]; taken {
			owner = "BOTH " + before + " AND " + owner
		}
		out[place] = owner
	}
	for _, n := range v.Networks("") {
		add(n.Record.ID, record.Text(n.Record.Gateway), "gateway "+n.Record.ID.String())
		add(n.Record.ID, record.Text(n.Record.Gateway6), "gateway "+n.Record.ID.String())
	}
	for _, e := range v.Endpoints() {
		add(e.ID.Network, record.Text(e.IP), "endpoint "+e.ID.String()+" on "+e.Host)
		add(e.ID.Network, record.Text(e.IP6), "endpoint "+e.ID.String()+" on "+e.Host)
	}
	for _, g := range v.Groups("") {
		if g.Pool.First.IsValid() {
			add(g.Network, g.Pool.First.String()+"-"+g.Pool.Last.String(), "pool "+g.ID.String())
		}
	}
	for _, s := range v.ServiceLBs("default") {
		add(s.Network, record.Text(s.IP), "service "+s.ID.String())
	}
	for _, h := range v.Holds() {
		kind := "hold"
		if h.Quarantine != "" {
			kind = "quarantine"
		}
		add(h.Network, h.Address.String(), kind)
	}
	return out
}

// brief returns an owner with only the fields that owned has.
func brief(o *model.AddressOwner) string {
	if o.Kind == model.OwnerHold || o.Kind == model.OwnerQuarantine {
		return o.Kind
	}
	return o.String()
}

// objects returns the API objects, including endpoints, as JSON members by "kind/key".
func objects(v *catalog.View) map[string]map[string]any {
	out := map[string]map[string]any{}
	put := func(id string, x any) {
		text, err := json.Marshal(x)
		members := map[string]any{}
		if err != nil || json.Unmarshal(text, &members) != nil {
			panic(fmt.Sprint(id, err))
		}
		out[id] = members
	}
	for _, k := range model.Kinds() {
		if k.Writable() {
			v.Range(k, func(o model.Object) { put(k.Name+"/"+o.ObjectKey(), o.Clone()) })
		}
	}
	for _, e := range v.Endpoints() {
		put("endpoint/"+e.ID.String(), e)
	}
	return out
}

// step does one random change, which may be refused.
func (w *world) step(rt *rapid.T) {
	ctx := context.Background()
	name := func(kind string, n int) string {
		return fmt.Sprintf("%s%d", kind, rapid.IntRange(1, n).Draw(rt, kind))
	}
	network, group, container := name("net", 2), name("group", 2), name("c", 5)
	address := fmt.Sprintf("10.1.%s.%d", network[3:], rapid.IntRange(1, 9).Draw(rt, "host"))
	switch rapid.SampledFrom([]string{"network", "group", "endpoint", "endpoint", "endpoint", "asked", "hold", "rm network", "rm group",
		"rm endpoint", "rm endpoint", "release", "service", "rm service", "apply", "quarantine", "free", "expire", "start", "nothing"}).Draw(rt, "verb") {
	case "network":
		_, _ = w.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: network, Encap: "vlan",
			Subnet: "10.1." + network[3:] + ".0/28", Gateway: "10.1." + network[3:] + ".14", Ipv6Subnet: "2001:" + network[3:] + "::/120"})
	case "group":
		_, _ = w.EndpointGroups().Put(ctx, &model.EndpointGroup{TenantName: "default", NetworkName: network, GroupName: group,
			IpPool: rapid.SampledFrom([]string{"", "10.1." + network[3:] + ".8-10.1." + network[3:] + ".9"}).Draw(rt, "pool")})
	case "endpoint", "asked":
		in := rapid.SampledFrom([]string{"", group}).Draw(rt, "in")
		wanted := rapid.SampledFrom([]string{"", "", address}).Draw(rt, "wanted")
		_, _, _ = w.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: network, ServiceName: in,
			ConfigEP: model.EndpointConfigRequest{Container: container, Host: name("h", 2), ServiceName: in, IPAddress: wanted},
			Labels:   map[string]string{"app": container}})
	case "hold":
		_, _ = w.AllocAddress(ctx, model.AllocAddressRequest{NetworkID: network + ".default",
			PreferredIPv4Address: rapid.SampledFrom([]string{"", address}).Draw(rt, "preferred")})
	case "release":
		_ = w.ReleaseAddress(ctx, model.ReleaseAddressRequest{NetworkID: network + ".default", IPv4Address: address})
	case "rm endpoint":
		_ = w.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: network, EndpointID: container})
	case "rm group":
		_, _ = w.EndpointGroups().Delete(ctx, "default", group)
	case "rm network":
		_, _ = w.Networks().Delete(ctx, "default", network)
	case "service":
		_, _ = w.ServiceLBs().Put(ctx, &model.ServiceLB{TenantName: "default", NetworkName: network, ServiceName: "s",
			Selectors: []string{"app=" + container}, Ports: []string{"80:80:TCP"}})
	case "rm service":
		_, _ = w.ServiceLBs().Delete(ctx, "default", "s")
	case "apply":
		_, _, _ = w.Apply(ctx, model.ApplyRequest{Delete: rapid.Bool().Draw(rt, "delete"), Objects: []model.ApplyObject{
			{Kind: "network", Fields: map[string]any{"tenantName": "default", "networkName": "net9", "encap": "vlan", "subnet": "10.9.0.0/28"}},
			{Kind: "endpointGroup", Fields: map[string]any{"tenantName": "default", "networkName": "net9", "groupName": "group9", "ipPool": "10.9.0.3-10.9.0.4"}}}})
	case "quarantine":
		_, _, _ = w.Quarantine(ctx, model.QuarantineRequest{Network: network + ".default", Address: address,
			Seconds: rapid.Int64Range(0, 2).Draw(rt, "minutes") * 60, Reason: "a printer"})
	case "free":
		_, _, _ = w.FreeAddress(ctx, model.ReleaseRequest{Network: network + ".default", Address: address})
	case "expire":
		w.now = w.now.Add(11 * time.Minute)
		_ = w.Service.ExpireNow(ctx)
	case "start":
		_ = w.UpdateEndpoint(ctx, model.UpdateEndpointRequest{Event: "start", Tenant: "default", Network: network, EndpointID: container,
			ContainerID: container, Labels: map[string]string{"app": name("c", 5)}})
	}
}

// past is the state at a revision.
type past struct {
	rev     uint64
	owned   map[string]string
	objects map[string]map[string]any
}

// After any changes of a cluster and any failures of its masters, the ledger has the exact owner of each address: replayed, it gives the
// state of a new master; reversed, the earlier states. The same holds for objects in the history.
func TestHistoryIsTrue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{t: t, data: memory.New(), now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
		w.opts = mastertest.Options{Now: func() time.Time { return w.now }, Quarantine: rapid.Ptr(rapid.SampledFrom([]time.Duration{0, 5 * time.Minute}), true).Draw(rt, "rest"),
			Keep: history.Keep{Records: rapid.SampledFrom([]int{1, 7, 1000}).Draw(rt, "records")}}
		w.newMaster()
		defer func() { w.Stop() }()
		var all []past
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			w.now = w.now.Add(time.Duration(rapid.IntRange(-2, 30).Draw(rt, "seconds")) * time.Second)
			crash := rapid.SampledFrom([]string{"", "", "", "", "lost", "fenced", "new"}).Draw(rt, "crash")
			switch crash {
			case "lost": // carried out or not, the master does not know
				w.client.LoseAnswers(1)
			case "fenced":
				w.unlock()
			case "new":
				w.newMaster()
			}
			w.step(rt)
			w.client.LoseAnswers(0)
			if crash == "lost" || crash == "fenced" {
				w.newMaster()
			}
			w.fresh().View(func(v *catalog.View) {
				all = append(all, past{uint64(v.Revision()), owned(v), objects(v)})
			})
		}
		w.fresh().View(func(v *catalog.View) { check(rt, v, w.opts.Keep, w.now, all) })
	})
}

func check(rt *rapid.T, v *catalog.View, keep history.Keep, now time.Time, all []past) {
	keep.Now = func() time.Time { return now }
	trail := slices.Collect(v.History())
	whole := history.SequenceOf(trail[0].Key) == 1
	first := trail[0] // of those without a gap
	for i, it := range trail {
		if i > 0 && history.SequenceOf(it.Key) != history.SequenceOf(trail[i-1].Key)+1 {
			if len(trail) < keep.Records-1 { // a leader that dies may have dropped for two records, and written one
				rt.Fatalf("the sequence has a gap between %s and %s, though %d of %d records are kept", trail[i-1].Key, it.Key, len(trail), keep.Records)
			}
			whole, first = false, it
		}
	}
	if len(trail) > keep.Records {
		rt.Fatalf("%d records are kept, want at most %d", len(trail), keep.Records)
	}
	log := history.Open(v, keep)
	present := all[len(all)-1]
	if whole {
		if got := replay(rt, log); !maps.Equal(got, present.owned) {
			rt.Fatalf("replaying the ledger: want\n%v\ngot\n%v", present.owned, got)
		}
	}
	book := history.Read(v, keep, history.AddressFilter{})
	reached := 0
	for _, p := range all {
		states, err := book.At(history.Moment{Revision: p.rev})
		if err != nil {
			if whole || p.rev+1 >= uint64(first.Revision) {
				rt.Fatalf("revision %d is within reach: %v", p.rev, err)
			}
			continue
		}
		reached++
		got := map[string]string{}
		for _, s := range states {
			got[s.Network+" "+s.Address] = brief(s.Owner)
		}
		if !maps.Equal(got, p.owned) {
			rt.Fatalf("at revision %d: want\n%v\ngot\n%v", p.rev, p.owned, got)
		}
		checkObjects(rt, v, log, present, p)
	}
	if reached == 0 {
		rt.Fatal("the history refuses even the present state")
	}
}

// replay follows the ledger from its start; every entry must start with the final state of the previous one.
func replay(rt *rapid.T, log history.Log) map[string]string {
	owners := map[string]*model.AddressOwner{}
	for _, e := range log.Ledger(history.AddressFilter{}, 0) {
		place := e.Network + " " + e.Address
		if !reflect.DeepEqual(owners[place], e.Was) {
			rt.Fatalf("%s of %s at %d: it was %s, and the ledger says %s", e.Verb, place, e.Revision, owners[place], e.Was)
		}
		if owners[place] = e.Now; e.Now == nil {
			delete(owners, place)
		}
	}
	out := map[string]string{}
	for place, o := range owners {
		out[place] = brief(o)
	}
	return out
}

// checkObjects compares every present and past object with its history.
func checkObjects(rt *rapid.T, v *catalog.View, log history.Log, present, p past) {
	names := slices.Sorted(maps.Keys(present.objects))
	names = append(names, slices.Sorted(maps.Keys(p.objects))...)
	for _, id := range names {
		kind, key, _ := strings.Cut(id, "/")
		got, err := log.ObjectAt(kind, key, v.Value(history.KeyOf(kind, key)), history.Moment{Revision: p.rev})
		if err != nil {
			rt.Fatal(err)
		}
		want := p.objects[id]
		if (want == nil) != (got == nil) {
			rt.Fatalf("%s at %d: want %v, got %v", id, p.rev, want, got)
		}
		for name, value := range got {
			if !reflect.DeepEqual(value, want[name]) {
				rt.Fatalf("%s at %d: %s: want %v, got %v", id, p.rev, name, want[name], value)
			}
		}
		for name, value := range want {
			if _, ok := got[name]; !ok && !slices.Contains([]string{"key", "id", "endpointID", "tenant", "links"}, name) && !empty(value) {
				rt.Fatalf("%s at %d: %s is %v and history does not know it", id, p.rev, name, value)
			}
		}
	}
}

// empty reports whether a member is equivalent to its absence.
func empty(value any) bool {
	v := reflect.ValueOf(value)
	return !v.IsValid() || v.IsZero() || (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.Len() == 0
}
