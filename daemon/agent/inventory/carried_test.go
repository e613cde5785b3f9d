// SPDX-License-Identifier: Apache-2.0

package inventory_test

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/agent/inventory"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// source yields the batches that a test sends.
type source struct {
	batches chan channel.Batch
	shards  []channel.Shard
	retold  []channel.Shard
}

func (s *source) Resume(shards []channel.Shard, _ channel.Mark) { s.shards = shards }
func (s *source) Retell(name channel.Shard)                     { s.retold = append(s.retold, name) }
func (s *source) Follow(ctx context.Context) iter.Seq2[channel.Batch, error] {
	return func(yield func(channel.Batch, error) bool) {
		for {
			select {
			case b := <-s.batches:
				if !yield(b, nil) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func endpoint(t *testing.T, host, name, ip string) channel.Item {
	t.Helper()
	e := record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: "blue", Name: "net"}, Endpoint: name}, Host: host, IP: netip.MustParseAddr(ip)}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return channel.Item{Key: record.Endpoints + e.ID.String(), Value: text, Revision: 3}
}

func network(t *testing.T) channel.Item {
	t.Helper()
	n := record.Network{ID: identity.Network{Tenant: "blue", Name: "net"}, Kind: record.DataNetwork, Encap: record.VXLAN, PktTag: 2, ExtPktTag: 10, Subnet: netip.MustParsePrefix("10.1.1.0/24")}
	spec := n.Spec()
	n.Addresses = spec.Range()
	text, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return channel.Item{Key: record.Networks + n.ID.String(), Value: text, Revision: 2}
}

// says returns the contents of a batch, in order.
func says(b channel.Batch) string {
	var out []string
	for _, u := range b.Updates {
		for _, i := range u.Items {
			out = append(out, string(u.Shard)+" +"+i.Key[strings.LastIndexByte(i.Key, ':')+1:])
		}
		for _, key := range u.Gone {
			out = append(out, string(u.Shard)+" -"+key[strings.LastIndexByte(key, ':')+1:])
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// A host offers its endpoints with their networks. It keeps an endpoint that the store lacks instead of another one with the same address,
// until an operator drops the endpoint or it ends.
func TestKeeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &source{batches: make(chan channel.Batch)}
		attached := []string{"blue:net:web", "blue:net:late"}
		var mu sync.Mutex // guards what follows
		var offers []channel.Offer
		var answer channel.Offered
		offered := func() int {
			mu.Lock()
			defer mu.Unlock()
			return len(offers)
		}
		k := inventory.New(inventory.Options{Host: "h1", Follower: from, Attached: func() []string { return attached },
			Post: func(_ context.Context, o channel.Offer) (channel.Offered, error) {
				mu.Lock()
				defer mu.Unlock()
				offers = append(offers, o)
				return answer, nil
			}, Log: slog.New(slog.DiscardHandler)})
		blue := channel.Tenant("blue")
		old := channel.Batch{Updates: []channel.Update{{Shard: blue, Full: true, Items: []channel.Item{network(t), endpoint(t, "h1", "web", "10.1.1.1"), endpoint(t, "h1", "late", "10.1.1.4"),
			endpoint(t, "h1", "ghost", "10.1.1.8"), endpoint(t, "h2", "db", "10.1.1.2")}}}, Mark: channel.Mark{Revision: 9}}
		k.Learn(&old)
		k.Resume([]channel.Shard{blue, inventory.Shard}, old.Mark)
		if !slices.Equal(from.shards, []channel.Shard{blue}) {
			t.Errorf("want only what netmasters know, got %v", from.shards)
		}
		if err := k.Offer(t.Context()); err != nil {
			t.Fatal(err)
		}
		o := offers[0]
		if o.Host != "h1" || len(o.Endpoints) != 2 || o.Endpoints[0].ID.Endpoint != "late" || o.Endpoints[1].IP != netip.MustParseAddr("10.1.1.1") || len(o.Networks) != 1 || o.Networks[0].ExtPktTag != 10 {
			t.Errorf("want both endpoints that are attached, and their network, got %+v", o)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out := make(chan channel.Batch)
		go func() {
			defer close(out)
			for b := range k.Follow(ctx) {
				out <- b
			}
		}()
		reset := channel.Batch{Updates: []channel.Update{{Shard: blue, Full: true, Items: []channel.Item{network(t), endpoint(t, "h1", "web", "10.1.1.1"), endpoint(t, "h2", "thief", "10.1.1.4")}}},
			Mark: channel.Mark{Revision: 5, Reset: true}}
		from.batches <- reset
		if got := says(<-out); got != "carried +late; tenant/blue +net; tenant/blue +web" {
			t.Errorf("another store: want what it does not know kept, and no other at its address, got %s", got)
		}
		if !k.Carries() {
			t.Error("want it known that the host holds more than it was sent")
		}
		from.batches <- channel.Batch{Updates: []channel.Update{{Shard: blue, Items: []channel.Item{endpoint(t, "h2", "new", "10.1.1.5"), endpoint(t, "h2", "thief", "10.1.1.4")}}}, Mark: channel.Mark{Revision: 6}}
		if got := says(<-out); got != "tenant/blue +new" {
			t.Errorf("want the other one left out, got %s", got)
		}
		mu.Lock()
		answer.Dropped = []string{"blue:net:late"}
		mu.Unlock()
		if got := <-out; says(got) != "carried -late" || got.Revision != 6 || got.Reset || !slices.Equal(from.retold, []channel.Shard{blue}) {
			t.Errorf("dropped: want it gone, and the tenant sent again, got %s, %+v, %v", says(got), got.Mark, from.retold)
		}
		n := offered()
		time.Sleep(time.Minute)
		if offered() != n {
			t.Error("want nothing offered any more")
		}
		if k.Carries() {
			t.Error("want the host to hold what it was sent")
		}
		cancel()
		for range out {
		}
	})
}

// Only netmasters send the records of the store again.
func TestKnownAgain(t *testing.T) {
	from := &source{batches: make(chan channel.Batch)}
	k := inventory.New(inventory.Options{Host: "h1", Follower: from, Attached: func() []string { return []string{"blue:net:late"} },
		Post: func(context.Context, channel.Offer) (channel.Offered, error) { return channel.Offered{}, nil }, Log: slog.New(slog.DiscardHandler)})
	k.Learn(&channel.Batch{Updates: []channel.Update{{Shard: inventory.Shard, Full: true, Items: []channel.Item{endpoint(t, "h1", "late", "10.1.1.4")}}}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		from.batches <- channel.Batch{Updates: []channel.Update{{Shard: channel.Tenant("blue"), Items: []channel.Item{endpoint(t, "h1", "late", "10.1.1.4")}}}, Mark: channel.Mark{Revision: 7}}
	}()
	for b := range k.Follow(ctx) {
		if got := says(b); got != "carried -late; tenant/blue +late" {
			t.Errorf("want it in its tenant only, got %s", got)
		}
		return
	}
}

// Without records of netmasters, a host offers the containers that Open vSwitch has, and keeps those that the store lacks.
func TestPorted(t *testing.T) {
	from := &source{batches: make(chan channel.Batch)}
	id := identity.Endpoint{Network: identity.Network{Tenant: "blue", Name: "net"}, Endpoint: "late"}
	var offered channel.Offer
	k := inventory.New(inventory.Options{Host: "h1", Follower: from, Attached: func() []string { return []string{"blue:net:late", "blue:net:known"} },
		Ported: func() []record.Endpoint {
			known := identity.Endpoint{Network: id.Network, Endpoint: "known"}
			return []record.Endpoint{{ID: id, Host: "h1", IP: netip.MustParseAddr("10.1.1.4"), MAC: record.MAC{2, 2, 10, 1, 1, 4}}, {ID: known, Host: "h1", IP: netip.MustParseAddr("10.1.1.99")},
				{ID: identity.Endpoint{Network: id.Network, Endpoint: "other"}, Host: "h9", IP: netip.MustParseAddr("10.1.1.9")}}
		},
		Post: func(_ context.Context, o channel.Offer) (channel.Offered, error) {
			offered = o
			return channel.Offered{}, nil
		}, Log: slog.New(slog.DiscardHandler)})
	k.Learn(&channel.Batch{Updates: []channel.Update{{Shard: channel.Tenant("blue"), Full: true, Items: []channel.Item{endpoint(t, "h1", "known", "10.1.1.5")}}}})
	if err := k.Offer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(offered.Endpoints) != 2 || offered.Endpoints[0].IP != netip.MustParseAddr("10.1.1.5") || offered.Endpoints[1].ID != id || offered.Endpoints[1].MAC != (record.MAC{2, 2, 10, 1, 1, 4}) {
		t.Errorf("want the one that netmasters sent, and the other as its port says it, got %+v", offered.Endpoints)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		from.batches <- channel.Batch{Updates: []channel.Update{{Shard: channel.Tenant("blue"), Full: true, Items: []channel.Item{network(t), endpoint(t, "h1", "known", "10.1.1.5")}}}, Mark: channel.Mark{Revision: 7, Reset: true}}
	}()
	for b := range k.Follow(ctx) {
		if got := says(b); got != "carried +late; tenant/blue +known; tenant/blue +net" {
			t.Errorf("want what the store does not know kept, got %s", got)
		}
		return
	}
}
