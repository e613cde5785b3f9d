// SPDX-License-Identifier: Apache-2.0

package find

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

func member(network, name string, change func(e *record.Endpoint)) *catalog.Member {
	e := &record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: "shop", Name: network}, Endpoint: name}, ContainerID: name}
	if change != nil {
		change(e)
	}
	return &catalog.Member{Endpoint: e}
}

const drawnID = "4f1c0d2e3a5b69788796a5b4c3d2e1f04f1c0d2e3a5b69788796a5b4c3d2e1f0"

// example has one endpoint of each sort.
func example() *table.Table[identity.Endpoint, *catalog.Member] {
	t := catalog.NewEndpoints()
	for _, m := range []*catalog.Member{
		member("front", drawnID, func(e *record.Endpoint) {
			e.CommonName, e.IP, e.IP6 = "Web-Frontend", netip.MustParseAddr("10.7.0.3"), netip.MustParseAddr("fd00::7:3")
			e.MAC, e.Aliases = record.MAC{2, 2, 10, 7, 0, 3}, []string{"cart"}
			e.Labels = map[string]string{"Tier": "Edge", "app.example.com/name": "cart-ui", "hash": drawnID}
		}),
		member("back", "db", func(e *record.Endpoint) { e.IP, e.RuntimeID = netip.MustParseAddr("10.7.0.33"), "c0ffee" }),
		member("back", "pod1", func(e *record.Endpoint) {
			e.Pod.ID, e.Labels = identity.Pod{Namespace: "web", Name: "api-0"}, map[string]string{"tier": "edge", "of": "api-0"}
		}),
		member("back", "bad\nname", nil),
	} {
		t.Set(m.ID, m)
	}
	return t
}

// A text is found in each field of an endpoint, with the rank of its place; the middle of random ids and of numbers does not count. A label is found as
// a whole, and by its value, which is a word of it; an endpoint that has a text in several values is found once, with the best.
func TestIndex_Search(t *testing.T) {
	x := (*index)(nil).updated(example())
	for _, row := range []struct{ text, want string }{
		{"4f1c", drawnID[:4] + " prefix endpointID"}, {drawnID, drawnID[:4] + " exact endpointID"}, {"0d2e", ""},
		{"web-frontend", "4f1c exact containerName"}, {"WEB", "4f1c prefix containerName"}, {"front", "4f1c word containerName"}, {"ronte", "4f1c part containerName"},
		{"10.7.0.3", "4f1c exact ipAddress; db prefix ipAddress"}, {"10.7.0.33", "db exact ipAddress"}, {".0.33", "db word ipAddress"}, {"0.7.0.3", ""},
		{"fd00::7:3", "4f1c exact ipAddress"}, {"FD00:0::7:3", "4f1c exact ipAddress"}, {"02:02:0a", "4f1c prefix macAddress"},
		{"02-02-0A-07-00-03", "4f1c exact macAddress"}, {"0202.0a07.0003", "4f1c exact macAddress"}, {"cart", "4f1c exact alias"}, {"c0f", "db prefix containerID"},
		{"api", "pod1 prefix pod"}, {"web/api-0", "pod1 exact pod"}, {"web/ap", "pod1 prefix pod"}, {"shop:back:db", "db exact endpointID"}, {"back/d", "db word endpointID"},
		{"shop/back/", "bad? prefix endpointID; db prefix endpointID; pod1 prefix endpointID"}, {"back/x", ""}, {"shop/front/db", ""}, {"nowhere", ""}, {"ame", "bad? part endpointID"},
		{"tier=edge", "4f1c exact labels; pod1 exact labels"}, {"TIER=e", "4f1c prefix labels; pod1 prefix labels"}, {"name=cart", "4f1c word labels"}, {"=edge", "4f1c word labels; pod1 word labels"},
		{"edge", "4f1c word labels; pod1 word labels"}, {"ui", "4f1c word labels"}, {"dge", "4f1c part labels; pod1 part labels"}, {"tier", ""}, {"tier=db", ""},
		{"hash=4f1c", "4f1c prefix labels"}, {"app.example.com/name=cart-ui", "4f1c exact labels"},
	} {
		q, err := parse(row.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		each := func(m *catalog.Member, h hit) {
			got = append(got, fmt.Sprintf("%.4s %s %s", lower(safe(m.ID.Endpoint)), h.rank, h.field))
		}
		x.search(q, each)
		slices.Sort(got)
		if text := join(got); text != row.want {
			t.Errorf("%q: got %q, want %q", row.text, text, row.want)
		}
	}
}

func safe(s string) string {
	out := []rune(s)
	for i, c := range out {
		if c < ' ' {
			out[i] = '?'
		}
	}
	return string(out)
}

func join(list []string) (out string) {
	for i, s := range list {
		if i > 0 {
			out += "; "
		}
		out += s
	}
	return out
}

// After any changes, the index finds what a new one finds, and it does not grow without end.
func TestIndex_Follows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	all := catalog.NewEndpoints()
	x := (*index)(nil).updated(all.Clone())
	for step := range 60 {
		for range rnd.IntN(300) {
			m := member("net", fmt.Sprint("c", rnd.IntN(500)), func(e *record.Endpoint) { e.CommonName = fmt.Sprint("app-", rnd.IntN(1000)) })
			if rnd.IntN(3) == 0 {
				all.Delete(m.ID)
			} else {
				all.Set(m.ID, m)
			}
		}
		x = x.updated(all.Clone())
		found := func(x *index, text string) (out []string) {
			x.search(&query{text: text}, func(m *catalog.Member, h hit) { out = append(out, m.ID.Endpoint+" "+h.rank.String()) })
			slices.Sort(out)
			return out
		}
		fresh := (*index)(nil).updated(all.Clone())
		for _, text := range []string{"app-1", "c4", "7", "nowhere", "app"} {
			if got, want := found(x, text), found(fresh, text); !slices.Equal(got, want) {
				t.Fatalf("step %d, %q: got %v, want %v", step, text, got, want)
			}
		}
		if len(x.members) > 2*garbage+3*all.Len() {
			t.Fatalf("step %d: the index has %d entries of %d endpoints", step, len(x.members), all.Len())
		}
	}
}

// FuzzSearch searches any text: the index finds each endpoint at most once, with a value that has the text.
func FuzzSearch(f *testing.F) {
	for _, text := range []string{"web", "\x00", "10.7", "\xff:", "::", "/", "shop:", "İ", "tier=", "=", "edge"} {
		f.Add(text)
	}
	x := (*index)(nil).updated(example())
	f.Fuzz(func(t *testing.T, text string) {
		q, err := parse(text)
		if err != nil {
			return
		}
		seen := map[*catalog.Member]bool{}
		x.search(q, func(m *catalog.Member, h hit) {
			if seen[m] || h.rank >= none || h.text() == "" {
				t.Errorf("%q: got %v of %s", text, h, m.ID)
			}
			seen[m] = true
		})
	})
}
