// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/store/memory"
)

// A follower that forwards a request does not hide its sender, and every master returns the same history. Unproven senders and secrets are
// not in it.
func TestHistoryOfACluster(t *testing.T) {
	ctx := context.Background()
	db := memory.New()
	one := start(t, db)
	until(t, "the first leads", func() bool { return one.role() == "leader" })
	two := start(t, db)
	until(t, "the second follows", func() bool { return two.role() == "follower" })
	two.Actor, two.Program = func() string { return "ann@laptop" }, "netctl/1.0"
	if _, err := two.Networks().Put(ctx, network(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Networks().Put(ctx, network(1)); err == nil {
		t.Error("a network that is there may not be put again")
	}
	body := []byte(`{"tenantName":"old"}`)
	old, err := http.NewRequestWithContext(ctx, http.MethodPost, one.Base+"/api/v1/tenants/old/", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	old.Header.Set("User-Agent", "contivpy/0.1")
	old.Header.Set("X-Auth-Token", "hunter2")
	old.Header.Set(model.ClientHeader, "9.9.9.9") // who is no follower may not say so
	answer, err := http.DefaultClient.Do(old)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("a client of the original: %v, %v", answer, err)
	}
	_ = answer.Body.Close()
	until(t, "the follower knows the tenant", func() bool { _, err := two.Tenants().Get(ctx, "old"); return err == nil })

	entries, err := two.History(ctx, client.HistoryQuery{})
	if err != nil || len(entries) != 4 {
		t.Fatalf("want the first two objects, a network and a tenant, got %+v, %v", entries, err)
	}
	same, err := one.History(ctx, client.HistoryQuery{})
	if err != nil || !reflect.DeepEqual(entries, same) {
		t.Errorf("the leader returns another history: %+v, %v", same, err)
	}
	if first := entries[0]; first.By != (model.Actor{Program: "netmaster"}) || first.Why == "" || first.Kind != "global" {
		t.Errorf("the first object: got %+v", first)
	}
	if got := entries[2]; got.By != (model.Actor{Claimed: "ann@laptop", Program: "netctl/1.0", Address: "127.0.0.1", Via: "127.0.0.1"}) || got.Key != "default:net1" {
		t.Errorf("through the follower: got %+v", got)
	}
	if got := entries[3]; got.By != (model.Actor{Program: "contivpy/0.1", Address: "127.0.0.1"}) || got.Key != "old" || got.Revision <= entries[2].Revision {
		t.Errorf("of the old client: got %+v", got)
	}
	items, _, err := db.List(ctx, "/contiv.io/history/")
	if err != nil || len(items) != 3 {
		t.Errorf("want 3 records for 3 transactions, got %d, %v", len(items), err)
	}
	for _, it := range items {
		if strings.Contains(string(it.Value), "hunter2") {
			t.Errorf("%s has the token: %s", it.Key, it.Value)
		}
	}
	for _, path := range []string{"/api/v1/history/nothing", "/api/v1/history?limit=x", "/api/v1/history?since=x", "/api/v1/ledger?network=n", "/api/v1/ledger?limit=-1",
		"/api/v1/addresses", "/api/v1/addresses?address=x", "/api/v1/addresses?address=10.1.1.1&at=x", "/api/v1/history/network/default:net1?at=", "/api/v1/history/address/x?at=1"} {
		err := two.Raw(ctx, path, nil)
		if fine := strings.HasSuffix(path, "at="); (err == nil) != fine || err != nil && !client.IsCode(err, model.CodeInvalid) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
