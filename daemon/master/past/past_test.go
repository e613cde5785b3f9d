// SPDX-License-Identifier: Apache-2.0

package past_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/oper"
	"github.com/contiv/contiv/daemon/master/past"
	"github.com/contiv/contiv/daemon/record"
)

// shown returns everything that a state must have in common with the one that it restores: all objects with their links, what lists show of
// them, endpoints, and records. The tags that netmaster chose for a network are not kept.
func shown(t *testing.T, c *catalog.Catalog) string {
	t.Helper()
	var b strings.Builder
	add := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	c.View(func(v *catalog.View) {
		for _, k := range model.Kinds() {
			if k.Owner != "" || k.InspectOnly {
				continue
			}
			for _, o := range v.Objects(k) {
				add(o)
				s := oper.Summary(v, o)
				s.VNI, s.Ready = 0, nil
				add(s)
			}
		}
		for m := range v.Members {
			e := oper.Endpoint(m.Endpoint)
			e.VtepIP = ""
			add(e)
		}
		add(v.Global())
		for _, n := range v.Networks("") {
			r := *n.Record
			r.PktTag, r.ExtPktTag = 0, 0
			add(r)
			add(len(v.HoldsOn(n)))
		}
		for _, g := range v.Groups("") {
			r := *g
			r.Number, r.PktTag, r.ExtPktTag = 0, 0, 0
			add(r)
		}
		for _, t := range v.Objects(model.KindTenant()) {
			for _, s := range v.ServiceLBs(t.ObjectKey()) {
				add(s)
				add(v.Provider(s.ID))
			}
		}
	})
	return b.String()
}

// steps are changes of every kind whose earlier states differ in a way of their own.
func steps() []string {
	return []string{
		"network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254", "policy p", "rule p:1 direction=in protocol=tcp port=80 action=deny priority=1",
		"netprofile gold bandwidth=10mbps DSCP=7", "group web networkName=blue policies=p ipPool=10.1.1.16-10.1.1.31", "group db networkName=blue",
		"attach blue c1 group=web", "attach blue c2 group=db", "start blue c1 labels=app:web name=front", "serviceLB www networkName=blue selectors=app=web ports=80:8080:TCP",
		"quarantine default:blue 10.1.1.77 seconds=3600 reason=printer", "apply serviceLB www networkName=blue selectors=app=web ports=81:8080:TCP",
		"global global arpMode=flood", "apply rule p:1 direction=in protocol=tcp port=81 action=deny priority=2", "rm rule p:1", "rm serviceLB www",
		"apply group web networkName=blue policies=p ipPool=10.1.1.16-10.1.1.31 netProfile=gold", "free default:blue 10.1.1.77",
		"detach blue c1", "rm group web", "detach blue c2", "attach blue c2 host=h2", "rm group db", "detach blue c2", "rm network blue", "rm policy p",
		"network blue encap=vlan subnet=10.2.2.0/24", "attach blue c1", "tenant shop", "network front tenantName=shop encap=vxlan subnet=10.1.1.0/24",
	}
}

// Every state since the beginning is restored from the last one and from the history.
func TestEveryStateIsRestored(t *testing.T) {
	none := time.Duration(0)
	w := enginetest.Start(t, enginetest.Options{Quarantine: &none})
	type state struct {
		step, want string
		revision   uint64
	}
	var states []state
	for _, step := range steps() {
		w.Must(t, step)
		states = append(states, state{step, shown(t, w.Catalog), uint64(w.Catalog.Revision())})
	}
	for _, s := range states {
		was, err := past.At(w.Catalog, history.Keep{}, history.Moment{Revision: s.revision})
		if err != nil {
			t.Fatalf("%s: %v", s.step, err)
		}
		if got := shown(t, was.Catalog); got != s.want {
			t.Errorf("after %q: %s", s.step, difference(got, s.want))
		}
		if was.Newest != (s.revision == states[len(states)-1].revision) {
			t.Errorf("after %q: newest %v", s.step, was.Newest)
		}
	}
	if got := shown(t, w.Catalog); got != states[len(states)-1].want {
		t.Errorf("the present has changed: %s", difference(got, states[len(states)-1].want))
	}
}

// difference returns the first line that differs.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return fmt.Sprintf("got\n%s\nwant\n%s", a[i], strings.Join(b[min(i, len(b)):min(i+1, len(b))], ""))
		}
	}
	return fmt.Sprintf("got %d lines, want %d: %s", len(a), len(b), b[len(a)])
}

// A state has nothing of hosts, and an error names what limits the history.
func TestUnknown(t *testing.T) {
	clock := time.Now().Add(-time.Hour)
	w := enginetest.Start(t, enginetest.Options{Keep: history.Keep{Records: 3, Now: func() time.Time { return clock }}})
	w.Must(t, "claim h1 vtep=192.0.2.1", "network blue encap=vxlan subnet=10.1.1.0/24", "attach blue c1", "attach blue c2", "attach blue c3", "attach blue c4", "attach blue c5")
	keep := history.Keep{Records: 3}
	was, err := past.At(w.Catalog, keep, history.Moment{Revision: uint64(w.Catalog.Revision()) - 1})
	if err != nil {
		t.Fatal(err)
	}
	was.Catalog.View(func(v *catalog.View) {
		if n := len(v.Hosts()); n != 0 || !v.IsPast() || v.CountEndpoints() != 4 {
			t.Errorf("want no hosts and 4 endpoints, got %d, %d", n, v.CountEndpoints())
		}
		for key := range v.Values() {
			if strings.HasPrefix(key, record.Hosts) {
				t.Errorf("want no %s", key)
			}
		}
	})
	_, err = past.At(w.Catalog, keep, history.Moment{Time: clock.Add(-time.Hour)})
	if e := model.AsError(err); err == nil || e.Field != "at" || !strings.Contains(e.Remedy, "--history-limit") {
		t.Errorf("want a refusal that names the limit, got %v", err)
	}
}
