// SPDX-License-Identifier: Apache-2.0

package history

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// nothing returns the values of an empty store.
func nothing(string) []byte { return nil }

func put(key, value string) store.Op { return store.Op{Key: key, Value: []byte(value)} }

func TestDerive(t *testing.T) {
	const key = record.Objects + "network/t:n"
	holds := func(value string) func(string) []byte {
		return func(k string) []byte {
			if k == key {
				return []byte(value)
			}
			return nil
		}
	}
	long := strings.Repeat("x", maxValue)
	tests := []struct {
		name   string
		ops    []store.Op
		before func(string) []byte
		want   []Change
	}{
		{"created", []store.Op{put(key, `{"key":"t:n","subnet":"10.1.1.0/24","pktTag":0,"gateway":""}`)}, nothing,
			[]Change{{Verb: created, Kind: "network", Key: "t:n", Fields: []Field{{Name: "subnet", New: "10.1.1.0/24"}}}}},
		{"changed", []store.Op{put(key, `{"a":"1","b":"3","d":"5"}`)}, holds(`{"a":"1","b":"2","c":"4"}`),
			[]Change{{Verb: updated, Kind: "network", Key: "t:n", Fields: []Field{{"b", "2", "3"}, {"c", "4", nil}, {"d", nil, "5"}}}}},
		{"the same", []store.Op{put(key, `{"a":"1"}`)}, holds(`{"a":"1"}`), nil},
		{"the same in other words", []store.Op{put(key, `{ "a":"1", "b":"" }`)}, holds(`{"a":"1"}`), nil},
		{"only links", []store.Op{put(key, `{"links":{"x":{}}}`)}, holds(`{}`), nil},
		{"deleted", []store.Op{{Key: key, Delete: true}}, holds(`{"a":["1"]}`),
			[]Change{{Verb: deleted, Kind: "network", Key: "t:n", Fields: []Field{{Name: "a", Old: []any{"1"}}}}}},
		{"nothing to delete", []store.Op{{Key: key, Delete: true}}, nothing, nil},
		{"put and deleted again", []store.Op{put(key, `{"a":"1"}`), {Key: key, Delete: true}}, nothing, nil},
		{"too long", []store.Op{put(key, `{"a":"`+long+`"}`)}, holds(`{"a":"1"}`),
			[]Change{{Verb: updated, Kind: "network", Key: "t:n", Fields: []Field{{Name: "a", Old: "1"}}, Cut: true}}},
		{"of no interest", []store.Op{put("/contiv.io/lock/x", "{}")}, nothing, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Derive(test.ops, test.before, nil)
			if !reflect.DeepEqual(got.Changes, test.want) || len(got.Addresses) != 0 {
				t.Errorf("want %+v, got %+v", test.want, got)
			}
		})
	}
}

func TestDifferencesAreBounded(t *testing.T) {
	text := `{"f":""`
	for i := range 100 {
		text += fmt.Sprintf(`,"f%02d":"%s"`, i, strings.Repeat("x", 500))
	}
	e := Derive([]store.Op{put(record.Objects+"network/t:n", text+"}")}, nothing, nil)
	if c := e.Changes[0]; !c.Cut || len(c.Fields) == 0 || len(c.Fields) > 20 {
		t.Errorf("want some of 100 large fields and a note, got %d, cut %v", len(c.Fields), c.Cut)
	}
	if b := e.Brief().Changes[0]; !b.Cut || b.Fields != nil || b.Key != "t:n" {
		t.Errorf("without differences: got %+v", b)
	}
}

func TestSecretsAreHidden(t *testing.T) {
	k := &model.Kind{Fields: []model.Field{{Name: "password", Secret: true}, {Name: "user"}}}
	for _, test := range []struct{ in, want Field }{
		{Field{"password", "old", "new"}, Field{"password", hidden, hidden}},
		{Field{"password", nil, "new"}, Field{"password", nil, hidden}},
		{Field{"user", "ann", "bob"}, Field{"user", "ann", "bob"}},
	} {
		got := test.in
		if hide(k, &got); got != test.want {
			t.Errorf("%v: want %v, got %v", test.in, test.want, got)
		}
	}
}

// For a transaction of any size, every record stays small, and every address is recorded with its owner.
func TestLargeTransactions(t *testing.T) {
	var e Entry
	for i := range 300 {
		e.Changes = append(e.Changes, Change{Verb: created, Kind: "endpoint", Key: fmt.Sprint(i), Fields: []Field{{Name: "x", New: strings.Repeat("y", maxChange-100)}}})
		e.Addresses = append(e.Addresses, Address{Network: "n.t", Address: fmt.Sprint("10.1.1.", i), Now: &Owner{}})
	}
	var p Packer
	stamp := Stamp{By: model.Actor{Claimed: "ann"}, Why: "so"}
	p.Add(Entry{Changes: e.Changes[:1]}, stamp)
	back := p.Add(e, stamp)
	n := 0
	for i, text := range p.Values(time.UnixMilli(7)) {
		if len(text) > maxRecord+2*maxChange {
			t.Errorf("record %d has %d bytes", i, len(text))
		}
		r, err := Decode(Key(uint64(i+1)), text, 5)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range r.entries() {
			if one.By.Claimed != "ann" || one.Why != "so" {
				t.Fatalf("record %d: who and why are lost: %+v", i, one)
			}
			for _, a := range one.Addresses {
				if n++; a.Now.String() != "endpoint 0" {
					t.Fatalf("%s: the owner is lost: %s", a.Address, a.Now)
				}
			}
		}
	}
	if n != 300 {
		t.Errorf("want 300 addresses, got %d", n)
	}
	if back(); p.Records() != 1 || p.Bytes() > maxRecord {
		t.Errorf("taken back, one record is left: got %d of %d bytes", p.Records(), p.Bytes())
	}
}

// The record that is written with every endpoint is small.
func TestEndpointIsSmall(t *testing.T) {
	name := strings.Repeat("f", 64)
	id := "default:default-net:" + name
	value := `{"netID":"default-net.default","endpointID":"` + name + `","ipAddress":"10.100.100.100","homingHost":"node-17.example"}`
	var p Packer
	e := Derive([]store.Op{put(record.Endpoints+id, value)}, nothing, nil)
	if len(e.Changes) != 1 || len(e.Addresses) != 1 || e.Addresses[0].Network != "default:default-net" {
		t.Fatalf("want an endpoint and its address, got %+v", e)
	}
	p.Add(e, Stamp{By: model.Actor{Claimed: "node-17.example", Program: "netplugin/1.2.3", Address: "10.10.10.17"}})
	if size := len(p.Values(time.Now())[0]) + len(Key(1)); size > 400 {
		t.Errorf("want at most 400 bytes, got %d: %s", size, p.Values(time.Now())[0])
	}
}

func TestMoments(t *testing.T) {
	at := func(s int) string { return fmt.Sprintf(`{"t":%d,"e":[]}`, s*1000) }
	items := func(first uint64, times ...int) []store.Item {
		var out []store.Item
		for i, s := range times {
			out = append(out, store.Item{Key: Key(first + uint64(i)), Value: []byte(at(s)), Revision: store.Revision(10 * (i + 1))})
		}
		return out
	}
	second := func(s int) Moment { return Moment{Time: time.Unix(int64(s), 0)} }
	tests := []struct {
		name  string
		log   Log
		m     Moment
		after int // records after m, -1: not within reach
	}{
		{"now", Log{items: items(5, 1, 2)}, Moment{}, 0},
		{"between", Log{items: items(5, 1, 2, 3)}, second(2), 1},
		{"revision between", Log{items: items(5, 1, 2, 3)}, Moment{Revision: 15}, 2},
		{"the future", Log{items: items(5, 1, 2)}, second(100), 0},
		{"before the first that is kept", Log{items: items(5, 1, 2)}, second(0), -1},
		{"just before the first that is kept", Log{items: items(5, 1, 2)}, Moment{Revision: 9}, 2},
		{"before that", Log{items: items(5, 1, 2)}, Moment{Revision: 8}, -1},
		{"before the first of all", Log{items: items(1, 1, 2), whole: true}, Moment{Revision: 3}, 2},
		{"a new leader's clock is late", Log{items: items(5, 1, 9, 4, 5)}, second(4), 3},
		{"nothing was ever recorded", Log{whole: true}, second(4), 0},
		{"nothing is kept any more", Log{}, second(4), -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			i, err := test.log.since(test.m)
			if (err != nil) != (test.after < 0) || err == nil && len(test.log.items)-i != test.after {
				t.Errorf("want %d records after it, got index %d, %v", test.after, i, err)
			}
		})
	}
	for text, good := range map[string]bool{"": true, "12": true, "0": false, "-1": false, "2030-01-02T03:04:05.5Z": true, "now": false} {
		if _, err := ParseMoment(text); (err == nil) != good {
			t.Errorf("moment %q: got %v", text, err)
		}
	}
}

// Records come from the store, to which others may write: malformed ones give an error, never a panic.
func FuzzDecode(f *testing.F) {
	f.Add(`{"t":1893553445000,"e":[{"b":{"u":"h1"},"c":[{"v":"+","k":"endpoint","n":"n.t-c"}],"a":[{"n":"n.t","a":"10.1.1.1","w":{"h":"h1"}}]}]}`)
	f.Add(`{"t":1,"e":[{"c":[{"v":"~","k":"network","n":"t:n","f":[{"n":"a","o":"1"}],"x":true}],"a":[{"n":"","a":"","o":{"u":9}}]}]}`)
	f.Add(`{"t":99999999999999999999`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		l := Log{items: []store.Item{{Key: Key(1), Value: []byte(text), Revision: 1}}, whole: true}
		_ = TimeOf([]byte(text))
		_ = l.List(Filter{})
		for _, e := range l.Ledger(AddressFilter{}, 0) {
			_, _ = e.Was.String(), e.Now.String()
		}
		if _, err := l.ObjectAt("network", "t:n", []byte(text), Moment{Revision: 1}); err != nil {
			t.Fatal(err)
		}
		b := Book{log: l}
		if _, err := b.At(Moment{Revision: 1}); err != nil {
			t.Fatal(err)
		}
	})
}

// Old records with a field "user", which a client chose freely, are decoded as claims.
func TestOldRecords(t *testing.T) {
	r, err := Decode(Key(7), []byte(`{"t":1763733762000,"e":[{"b":{"u":"root@vm","p":"netctl/1.0","a":"10.254.2.254","v":"10.254.2.1"},"c":[{"v":"+","k":"tenant","n":"x"}]}]}`), 8)
	if err != nil {
		t.Fatal(err)
	}
	want := model.Actor{Claimed: "root@vm", Program: "netctl/1.0", Address: "10.254.2.254", Via: "10.254.2.1"}
	if got := r.Entries[0].By.model(); got != want {
		t.Errorf("want %+v, got %+v", want, got)
	}
}
