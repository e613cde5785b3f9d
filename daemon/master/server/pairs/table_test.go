// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

const (
	m1 = "192.0.2.1:9999"
	m2 = "192.0.2.2:9999"
	m3 = "192.0.2.3:9999"
)

func reached(trip, ahead time.Duration) (model.MasterPeer, sample) {
	return model.MasterPeer{State: model.PairReached}, sample{roundTrip: trip, ahead: ahead, clock: true}
}

// The quickest of the last measurements counts, for the round trip and for the clock; a state lasts until another one is found.
func TestRecord(t *testing.T) {
	at := time.Unix(1000, 0)
	w := newTable(m1)
	w.expect([]string{m2})
	if got := w.own(at).Peers; len(got) != 0 {
		t.Errorf("what was not measured yet: want nothing, got %+v", got)
	}
	for i, trip := range []time.Duration{90, 40, 70, 80, 60, 50, 50} { // the second one is too old in the end
		found, got := reached(trip*time.Millisecond, trip*time.Second)
		w.record(m2, found, got, at.Add(time.Duration(i)*time.Second))
	}
	row := w.own(at.Add(10 * time.Second))
	if p := row.Peer(m2); p == nil || p.State != model.PairReached || p.RoundTripMillis != 50 || p.AheadMillis == nil || *p.AheadMillis != 50000 || p.Seconds != 10 {
		t.Fatalf("want the quickest of five, for 10 s, got %+v", p)
	}
	if was := w.record(m2, model.MasterPeer{State: model.PairSilent, Reason: "no answer"}, sample{}, at.Add(11*time.Second)); was != model.PairReached {
		t.Errorf("want the state before, got %q", was)
	}
	row = w.own(at.Add(13 * time.Second))
	if p := row.Peer(m2); p == nil || p.State != model.PairSilent || p.Seconds != 2 || p.RoundTripMillis != 0 || p.AheadMillis != nil || p.Reason != "no answer" {
		t.Errorf("want it silent for 2 s, and no old measurement, got %+v", p)
	}
	w.expect([]string{m3})
	if found, got := reached(1, 0); w.record(m2, found, got, at) != model.PairReached || len(w.own(at).Peers) != 0 {
		t.Errorf("one that is no longer expected: want no row, got %+v", w.own(at))
	}
}

// Rows are passed on with their age: the youngest one counts, and the own one is never taken from another netmaster.
func TestMerge(t *testing.T) {
	at := time.Unix(1000, 0)
	w := newTable(m1)
	row := func(from string, age time.Duration, state model.PairState) model.MasterRow {
		return model.MasterRow{From: from, AgeMillis: age.Milliseconds(), Peers: []model.MasterPeer{{To: m1, State: state, Seconds: 1}}}
	}
	w.merge([]model.MasterRow{row(m2, 0, model.PairReached), row(m1, 0, model.PairFailed)}, at)
	w.merge([]model.MasterRow{row(m2, 2*time.Second, model.PairSilent), row(m3, 31*time.Second, model.PairSilent)}, at.Add(time.Second))
	got := w.snapshot(at.Add(3 * time.Second))
	if len(got.Rows) != 2 || got.Rows[0].From != m1 || len(got.Rows[0].Peers) != 0 {
		t.Fatalf("want the own row, and that of the other one, got %+v", got.Rows)
	}
	if r := got.Rows[1]; r.From != m2 || r.AgeMillis != 3000 || r.Peers[0].State != model.PairReached || r.Peers[0].Seconds != 4 {
		t.Errorf("want the youngest row, 3 s old, got %+v", r)
	}
	w.merge([]model.MasterRow{row(m2, 0, model.PairSilent)}, at.Add(4*time.Second))
	if r := w.snapshot(at.Add(4 * time.Second)).Rows[1]; r.Peers[0].State != model.PairSilent {
		t.Errorf("want the newer row, got %+v", r)
	}
	if got := w.snapshot(at.Add(time.Minute)); len(got.Rows) != 1 {
		t.Errorf("want those forgotten that do not report, got %+v", got.Rows)
	}
}

// Rows of another netmaster are bounded and have no letters of control.
func FuzzMerge(f *testing.F) {
	f.Add([]byte(`{"at":"2026-01-01T00:00:00Z","rows":[{"from":"192.0.2.2:9999","ageMillis":3,"peers":[{"to":"192.0.2.1:9999","state":"reached","seconds":1,"aheadMillis":2}]}]}`))
	f.Add([]byte(`{"rows":[{"from":"\u001b[2J","ageMillis":-9223372036854775808},{"from":"","ageMillis":9223372036854775807,"peers":[{"reason":"a\nb"}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := decode(text)
		if err != nil {
			return
		}
		w, at := newTable(m1), time.Unix(1000, 0)
		w.merge(in.Rows, at)
		out := w.snapshot(at)
		if len(out.Rows) > maxRows+1 {
			t.Errorf("got %d rows", len(out.Rows))
		}
		for _, r := range out.Rows {
			if r.AgeMillis < 0 || r.AgeMillis > keepTime.Milliseconds() || len(r.Peers) > maxRows || len(r.From) > maxText {
				t.Errorf("got %+v", r)
			}
			for _, p := range r.Peers {
				if strings.ContainsAny(p.To+p.Reason+string(p.State), "\x1b\n\r") {
					t.Errorf("letters of control: %+v", p)
				}
			}
		}
		if _, err := json.Marshal(out); err != nil {
			t.Error(err)
		}
	})
}

// A member of the embedded store is expected without a registration, at the address that it had last.
func TestExpected(t *testing.T) {
	registered := []string{m1, "192.0.2.2:9998"}
	e := Expected{Own: m1, Registered: func() []string { return registered },
		Members: func() map[string]string {
			return map[string]string{"h1": "https://192.0.2.1:2380", "h2": "https://192.0.2.2:2380", "h3": "https://192.0.2.3:2380", "h4": "::"}
		}}
	for range 2 {
		if got, want := e.List(), []string{"192.0.2.2:9998", m3}; !slices.Equal(got, want) {
			t.Errorf("want %q, got %q", want, got)
		}
		registered = []string{m1}
	}
	e = Expected{Own: m1, Registered: func() []string { return []string{m1, m2} }}
	if got := e.List(); !slices.Equal(got, []string{m2}) {
		t.Errorf("a store of its own: want those that are registered, got %q", got)
	}
}

// A connection that another machine has requested, and that is not open, is evidence that its packets arrive.
func TestHalfOpen(t *testing.T) {
	const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	const half = "   1: 010200C0:270F 030200C0:A1B2 03 00000000:00000000 01:00000064 00000000     0        0 0 1 0000000000000000\n"
	const mapped = "   2: 0000000000000000FFFF0000010200C0:270F 0000000000000000FFFF0000030200C0:A1B2 03 0:0 01:0 0 0 0 0 1 0\n"
	h := &halfOpen{own: m1}
	for name, row := range map[string]struct {
		text string
		want bool
	}{
		"none":                   {head, false},
		"half open":              {head + half, true},
		"IPv4 in IPv6":           {head + mapped, true},
		"open":                   {head + strings.Replace(half, " 03 ", " 01 ", 1), false},
		"of another one":         {head + strings.Replace(half, "030200C0", "020200C0", 1), false},
		"to another port":        {head + strings.Replace(half, "270F", "270E", 1), false},
		"something else":         {"\x00: 03 03 03", false},
		"addresses of no length": {head + "   1: 01:270F 03:A1B2 03 0\n", false},
	} {
		if got := h.in(strings.NewReader(row.text), m3); got != row.want {
			t.Errorf("%s: want %t, got %t", name, row.want, got)
		}
	}
}

func FuzzHalfOpen(f *testing.F) {
	f.Add("   1: 010200C0:270F 030200C0:A1B2 03 0\n")
	f.Add("   1: 0102:270F 030200C0:A1B2 03\n: : 03 03")
	f.Fuzz(func(t *testing.T, text string) {
		h := &halfOpen{own: m1}
		if h.in(strings.NewReader(text), m3) && !strings.Contains(text, " 03") && !strings.Contains(text, "\t03") {
			t.Errorf("no half-open connection: %q", text)
		}
	})
}
