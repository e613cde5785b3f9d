// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// largePolicy are the records of a policy of 5,000 rules that 8 groups have, whose members are here.
func largePolicy() (items []channel.Item) {
	add := func(key string, v any) {
		value, _ := json.Marshal(v)
		items = append(items, channel.Item{Key: key, Value: value})
	}
	const groups, rules = 8, 5000
	blue := network("net", "blue", 100)
	add(record.Tenants+"blue", tenant("blue", 1))
	add(record.Networks+blue.ID.String(), blue)
	for n := range groups {
		name := fmt.Sprintf("g%d", n)
		g := group(name, "blue", n+1)
		add(record.Groups+g.ID.String(), g)
		e := member(blue, name, "h1", n+1)
		e.Group = g.ID
		add(record.Endpoints+e.ID.String(), e)
		at := identity.Attachment{Group: identity.Group{Tenant: "blue", Name: name}, Policy: "p"}
		add(record.Attachments+at.String(), record.Attachment{ID: at})
	}
	for i := range rules {
		r := rule(fmt.Sprint(i), func(r *record.Rule) { r.Priority, r.Protocol, r.Port = i%100+1, 6, uint16(i+1) })
		add(record.Rules+r.ID.String(), r)
	}
	return items
}

// BenchmarkLargePolicy takes in a large policy, all of it at once: until the State is there, and its flows.
func BenchmarkLargePolicy(b *testing.B) {
	items, p := largePolicy(), pipeline.Default()
	for _, compiled := range []bool{false, true} {
		b.Run(fmt.Sprintf("compiled=%v", compiled), func(b *testing.B) {
			var before, after runtime.MemStats
			b.ReportAllocs()
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				r, s := newRecords("h1"), ofnet.NewState("h1")
				for _, item := range items {
					if err := r.put(item); err != nil {
						b.Fatal(err)
					}
				}
				given := r.clone()
				r.translate(newRecords("h1"), s)
				if compiled {
					p.CompileAll(s)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(given)
				runtime.KeepAlive(s)
			}
			b.ReportMetric(float64(len(items)), "records")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-held")
		})
	}
}

// BenchmarkOneOfManyRules takes in one rule of a large policy, and takes it away.
func BenchmarkOneOfManyRules(b *testing.B) {
	r, s, p := newRecords("h1"), ofnet.NewState("h1"), pipeline.Default()
	for _, item := range largePolicy() {
		if err := r.put(item); err != nil {
			b.Fatal(err)
		}
	}
	r.translate(newRecords("h1"), s)
	extra := rule("extra", func(r *record.Rule) { r.Priority, r.Action = 7, "deny" })
	value, _ := json.Marshal(extra)
	key := record.Rules + extra.ID.String()
	for b.Loop() {
		for _, change := range []func(){func() { _ = r.put(channel.Item{Key: key, Value: value}) }, func() { r.del(key) }} {
			given, before := r.clone(), s.Clone()
			change()
			r.translate(given, s)
			owners := map[ofnet.Key]struct{}{}
			p.Affected(before, s, func(k ofnet.Key) { owners[k] = struct{}{} })
			for k := range owners {
				p.Compile(s, k)
			}
		}
	}
}
