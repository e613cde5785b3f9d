// SPDX-License-Identifier: Apache-2.0

package table_test

import (
	"fmt"
	"testing"

	"github.com/contiv/contiv/table"
)

type id struct{ tenant, network, container string }

type member struct {
	id      id
	network [2]string
	host    string
	group   string
}

var (
	ofNetwork = table.By[id](func(m *member) [2]string { return m.network })
	ofHost    = table.By[id](func(m *member) string { return m.host })
	ofGroup   = table.By[id](func(m *member) string { return m.group })
)

func members(n int) []*member {
	out := make([]*member, n)
	for i := range out {
		tenant, network := fmt.Sprint("tenant-", i%20), fmt.Sprint("network-", i%100)
		out[i] = &member{id{tenant, network, fmt.Sprintf("%016x", i)}, [2]string{tenant, network}, fmt.Sprint("host-", i%2000), fmt.Sprint("group-", i%300)}
	}
	return out
}

func filled(list []*member) *table.Table[id, *member] {
	t := table.New(ofNetwork, ofHost, ofGroup)
	for _, m := range list {
		t.Set(m.id, m)
	}
	return t
}

const many = 50000

func BenchmarkFill(b *testing.B) {
	list := members(many)
	b.ReportAllocs()
	for b.Loop() {
		filled(list)
	}
}

// One change after each snapshot, which copies every node on its way.
func BenchmarkChange(b *testing.B) {
	list := members(many)
	t := filled(list)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m := *list[i%many]
		before := t.Clone()
		t.Set(m.id, &m)
		for c := range table.Changes(before, t) {
			if c.After != &m {
				b.Fatal(c)
			}
		}
	}
}

func BenchmarkGet(b *testing.B) {
	list := members(many)
	t := filled(list)
	for i := 0; b.Loop(); i++ {
		if t.Get(list[i*7919%many].id) == nil {
			b.Fatal("not found")
		}
	}
}

func BenchmarkList25(b *testing.B) {
	t := filled(members(many))
	for i := 0; b.Loop(); i++ {
		n := 0
		for range ofHost.In(t, fmt.Sprint("host-", i%2000)).Values() {
			n++
		}
		if n != many/2000 {
			b.Fatal(n)
		}
	}
}

// An index of which each row has something of its own.
func BenchmarkFillUnique(b *testing.B) {
	list := members(many)
	byContainer := table.By[id](func(m *member) string { return m.id.container })
	b.ReportAllocs()
	for b.Loop() {
		t := table.New(byContainer)
		for _, m := range list {
			t.Set(m.id, m)
		}
	}
}
