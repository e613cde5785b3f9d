// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// A watch with a selector reports an object that becomes selected as put, one that is no longer selected as deleted, and no others.
func TestWatchSelected(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	group := func(name string, policies ...string) {
		mastertest.Put(t, m.EndpointGroups(), &model.EndpointGroup{TenantName: "default", NetworkName: "n", GroupName: name, Policies: policies})
	}
	remove := func(name string) {
		if _, err := m.EndpointGroups().Delete(t.Context(), "default", name); err != nil {
			t.Error(err)
		}
	}
	mastertest.Put(t, m.Networks(), network("n", "10.1.1.0/24"))
	mastertest.Put(t, m.Policys(), &model.Policy{TenantName: "default", PolicyName: "p"})
	group("a", "p")
	group("b")
	steps := []struct {
		does  func()
		tells string // and nothing before it
	}{
		{func() { group("b", "p") }, "put default:b"},
		{func() { group("a") }, "delete default:a"},
		{func() { remove("a"); remove("b") }, "delete default:b"},
		{func() { group("c"); remove("c"); group("d", "p") }, "put default:d"},
		{func() { remove("d") }, "delete default:d"},
	}
	next := 0
	for e, err := range m.Watch(t.Context(), []*model.Kind{model.KindEndpointGroup()}, client.Fields("policies=p")) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Type == model.EventFull && len(e.Items) != 1:
			t.Fatalf("want the one group that is selected, got %d", len(e.Items))
		case e.Type == model.EventSync && next == 0:
			steps[0].does()
			next++
		case e.Type == model.EventFull || e.Type == model.EventSync:
		default:
			if got := fmt.Sprintf("%s %s", e.Type, e.Key); got != steps[next-1].tells {
				t.Fatalf("step %d: want %s, got %s", next, steps[next-1].tells, got)
			}
			if next == len(steps) {
				return
			}
			steps[next].does()
			next++
		}
	}
}

// Everything comes in portions when a client asks for them.
func TestWatchInPortions(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for i := range 7 {
		mastertest.Put(t, m.Networks(), network(fmt.Sprintf("n%d", i), fmt.Sprintf("10.1.%d.0/24", i)))
	}
	for limit, want := range map[int]string{1: "full 1, more 1, more 1, more 1, more 1, more 1, more 1", 3: "full 3, more 3, more 1", 7: "full 7", 8: "full 7", 0: "full 7"} {
		var seen []string
		for e, err := range m.Watch(t.Context(), []*model.Kind{model.KindNetwork()}, client.Limit(limit)) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type == model.EventSync {
				break
			}
			seen = append(seen, fmt.Sprintf("%s %d", e.Type, len(e.Items)))
		}
		if got := strings.Join(seen, ", "); got != want {
			t.Errorf("portions of %d: want %s, got %s", limit, want, got)
		}
	}
}
