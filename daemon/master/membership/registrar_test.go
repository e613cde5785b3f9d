// SPDX-License-Identifier: Apache-2.0

package membership_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// agent is the admission of one machine's agent.
type agent struct {
	*enginetest.World
	record.Host
}

func as(w *enginetest.World, label, machine, vtep, control, seat string) agent {
	h := record.Host{Label: label, Machine: machine, VTEP: netip.MustParseAddr(vtep), Port: 4789, Instance: seat}
	if control != "" {
		h.Control = netip.MustParseAddrPort(control)
	}
	return agent{w, h}
}

func (a agent) must(t *testing.T) agent {
	t.Helper()
	got, _, err := a.Registrar.Register(t.Context(), a.Host)
	if err != nil || got.Label != a.Label || got.Since == "" {
		t.Fatalf("host %s of machine %s: want it admitted, got %+v, %v", a.Label, a.Machine, got, err)
	}
	return a
}

func (a agent) refused(t *testing.T, field string, words ...string) {
	t.Helper()
	_, _, err := a.Registrar.Register(t.Context(), a.Host)
	if !client.IsCode(err, model.CodeConflict) || model.AsError(err).Field != field {
		t.Fatalf("host %s of machine %s: want it refused because of its %s, got %v", a.Label, a.Machine, field, err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the refusal: want %q in it, got %v", word, err)
		}
	}
}

func (a agent) stop(t *testing.T) {
	t.Helper()
	if _, err := a.Registrar.Leave(t.Context(), a.Label, a.Instance); err != nil {
		t.Fatal(err)
	}
}

// hosts returns the hosts in the store with their machines; a star marks those that run.
func hosts(t *testing.T, w *enginetest.World) string {
	t.Helper()
	var out []string
	items, _, err := w.Store.List(t.Context(), record.Hosts)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		var h record.Host
		if err := json.Unmarshal(i.Value, &h); err != nil {
			t.Fatal(err)
		}
		text := h.Label + "=" + h.Machine + "@" + h.VTEP.String()
		if _, err := w.Store.Read(t.Context(), record.Runs+h.Label); err == nil {
			text += "*"
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func want(t *testing.T, w *enginetest.World, when, want string) {
	t.Helper()
	if got := hosts(t, w); got != want {
		t.Errorf("%s: want hosts %q, got %q", when, want, got)
	}
}

// A label and an address belong to the machine that registered them, even while its agent is stopped, until the machine releases them.
func TestOneMachineEach(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	first := as(w, "h1", "m1", "192.0.2.1", "192.0.2.1:9090", "s1").must(t)
	label := as(w, "h1", "m2", "192.0.2.2", "192.0.2.2:9090", "s2")
	label.refused(t, "host", "host label h1", "machine m1", "192.0.2.1:9090", "machine is m2", "192.0.2.2:9090", "--host", "10s")
	as(w, "h3", "m3", "192.0.2.1", "192.0.2.3:9090", "s3").refused(t, "vtep", "tunnel address 192.0.2.1 belongs to host h1 (machine m1", "whose agent runs",
		"host h3 (machine m3", "--vtep-ip", "netctl node forget h1")
	as(w, "h4", "m4", "192.0.2.4", "192.0.2.1:9090", "s4").refused(t, "control", "control address 192.0.2.1:9090", "--ctrl-ip")
	want(t, w, "after refusals", "h1=m1@192.0.2.1*")
	first.stop(t)
	want(t, w, "stopped", "h1=m1@192.0.2.1")
	label.refused(t, "host", "host label h1", "whose agent does not run", "netctl node forget h1")

	// The machine comes back with other addresses: the old ones are free.
	as(w, "h1", "m1", "192.0.2.9", "", "after the machine's restart").must(t)
	want(t, w, "with other addresses", "h1=m1@192.0.2.9*")
	as(w, "h3", "m3", "192.0.2.1", "192.0.2.3:9090", "s3").must(t)
	want(t, w, "with the old ones taken", "h1=m1@192.0.2.9* h3=m3@192.0.2.1*")
	as(w, "h5", "m5", "192.0.2.5", "", "s5").must(t) // no control address is none that two share
}

// Only one of several machines with the same identity is the host at a time; a restarted agent is the host immediately.
func TestClones(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	as(w, "h1", "m", "192.0.2.1", "", "s1").must(t)
	clone := as(w, "h1", "m", "192.0.2.1", "", "s2")
	clone.refused(t, "host", "host label h1", "whose agent runs")
	as(w, "h2", "m", "192.0.2.1", "", "s2").refused(t, "vtep", "tunnel address 192.0.2.1", "whose agent runs")
	again := as(w, "h1", "m", "192.0.2.1", "", "s1").must(t) // its predecessor was killed
	clone.stop(t)                                            // that of a host that it is not counts for nothing
	clone.refused(t, "host", "whose agent runs")
	again.stop(t)
	clone.must(t)
}

// A machine that gets another label releases the previous one. Repeating an admission changes nothing.
func TestAnotherLabel(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	as(w, "h1", "m", "192.0.2.1", "", "s").must(t).stop(t)
	now := as(w, "h2", "m", "192.0.2.1", "", "s").must(t)
	want(t, w, "another --host", "h2=m@192.0.2.1*")
	before := w.Catalog.Revision()
	now.must(t)
	if after := w.Catalog.Revision(); after != before {
		t.Errorf("admitted as it is: want nothing written, got revision %d after %d", after, before)
	}
}

// A host that knows the machine id and addresses of another host cannot take its label or addresses, not even while the other's agent is
// stopped.
func TestStranger(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	as(w, "h2", "m2", "192.0.2.2", "192.0.2.2:9090", "s2").must(t).stop(t)
	evil := auth.With(t.Context(), auth.Subject{Identity: trust.Identity{Role: trust.Agent, Name: "evil"}, Proof: auth.ByCertificate})
	for name, h := range map[string]record.Host{
		"machine and addresses": as(w, "evil", "m2", "192.0.2.2", "192.0.2.2:9090", "s2").Host,
		"the machine":           as(w, "evil", "m2", "192.0.2.66", "192.0.2.2:9090", "s2").Host,
		"the tunnel address":    as(w, "evil", "m2", "192.0.2.2", "", "s").Host,
	} {
		_, _, err := w.Registrar.Register(evil, h)
		if !client.IsCode(err, model.CodeConflict) || !strings.Contains(err.Error(), "netctl node forget h2") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	want(t, w, "after the stranger", "h2=m2@192.0.2.2")
	own := as(w, "evil", "m2", "192.0.2.66", "192.0.2.66:9090", "s").Host
	if _, _, err := w.Registrar.Register(evil, own); err != nil {
		t.Errorf("with addresses of its own: %v", err)
	}
}

// No host registers an agent address at which a netmaster listens, or one that is not in its certificate.
func TestControlElsewhere(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	_, err := w.Commit.Do(t.Context(), func(tx *commit.Tx) error {
		for key, r := range map[string]any{
			record.Services + record.ServiceMaster + "/192.0.2.1:9999": &record.Service{ServiceName: record.ServiceMaster, HostAddr: "192.0.2.1", Port: 9999, Role: "leader"},
			record.Certificates + "1":                                  &record.Certified{Serial: "1", Identity: "spiffe://contiv/agent/h3", Hosts: []string{"192.0.2.3", "127.0.0.1"}, Until: time.Now().Add(time.Hour)},
			record.Certificates + "2":                                  &record.Certified{Serial: "2", Identity: "spiffe://contiv/agent/h4", Hosts: []string{"h4", "127.0.0.1"}, Until: time.Now().Add(time.Hour)},
		} {
			if err := tx.Put(key, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	as(w, "h2", "m2", "192.0.2.2", "192.0.2.1:9999", "s").refused(t, "control", "where a netmaster listens", "--ctrl-ip")
	by := func(label string) context.Context {
		return auth.With(t.Context(), auth.Subject{Identity: trust.Identity{Role: trust.Agent, Name: label}, Proof: auth.ByCertificate})
	}
	if _, _, err := w.Registrar.Register(by("h3"), as(w, "h3", "m3", "192.0.2.3", "203.0.113.77:443", "s").Host); !client.IsCode(err, model.CodeDenied) || !strings.Contains(err.Error(), "contiv join") {
		t.Errorf("an address that the certificate does not have: got %v", err)
	}
	for label, address := range map[string]string{"h3": "192.0.2.3:9090", "h4": "192.0.2.4:9090", "h5": "192.0.2.5:9090"} {
		if _, _, err := w.Registrar.Register(by(label), as(w, label, "m "+label, strings.TrimSuffix(address, ":9090"), address, "s").Host); err != nil {
			t.Errorf("%s: %v", label, err)
		}
	}
}

// If two hosts request the same address at the same moment, one gets it.
func TestAtTheSameMoment(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	const n = 8
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		a := as(w, "h"+string(rune('a'+i)), "m"+string(rune('a'+i)), "192.0.2.1", "", "s")
		wait.Go(func() { _, _, errs[i] = a.Registrar.Register(t.Context(), a.Host) })
	}
	wait.Wait()
	admitted := 0
	for _, err := range errs {
		if err == nil {
			admitted++
		} else if !client.IsCode(err, model.CodeConflict) {
			t.Errorf("want a conflict, got %v", err)
		}
	}
	if admitted != 1 || strings.Contains(hosts(t, w), " ") {
		t.Errorf("want one of %d admitted, got %d: %s", n, admitted, hosts(t, w))
	}
}

func FuzzRegister(f *testing.F) {
	f.Add([]byte(`{"host":"h1","machine":"m2","vtep":"192.0.2.2","port":4789,"control":"192.0.2.1:9090"}`))
	f.Add([]byte(`{"host":"h2","machine":"m1","vtep":"192.0.2.1","port":4789,"seat":"s"}`))
	f.Add([]byte(`{"host":"a/b","vtep":"0.0.0.0"}`))
	w := enginetest.Start(f, enginetest.Options{})
	w.Admitted(f, record.Host{Label: "h1", Machine: "m1", Instance: "s", VTEP: netip.MustParseAddr("192.0.2.1"), Port: 4789, Control: netip.MustParseAddrPort("192.0.2.1:9090")})
	f.Fuzz(func(t *testing.T, b []byte) {
		var h record.Host
		if json.Unmarshal(b, &h) != nil {
			return
		}
		_, _, err := w.Registrar.Register(t.Context(), h)
		if err != nil && !client.IsCode(err, model.CodeConflict) && !client.IsCode(err, model.CodeInvalid) {
			t.Fatalf("%q: want it admitted or refused, got %v", b, err)
		}
		w.Catalog.View(func(v *catalog.View) {
			ends := map[netip.Addr]struct{}{}
			for _, h := range v.Hosts() {
				if _, twice := ends[h.VTEP]; twice {
					t.Errorf("%q: two hosts have tunnel address %s", b, h.VTEP)
				}
				ends[h.VTEP] = struct{}{}
			}
		})
	})
}

// The record of a machine follows its last report: after an agent moved an address, and after an earlier build, which reports nothing,
// replaced it.
func TestReportFollows(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	a := as(w, "h1", "m1", "192.0.2.1", "", "s")
	for _, own := range [][]netip.Prefix{nil, {netip.MustParsePrefix("192.0.2.1/24")}, {netip.MustParsePrefix("192.0.2.7/24")}, nil} {
		a.Own = own
		a.must(t)
		it, err := w.Store.Read(t.Context(), record.Hosts+"h1")
		var h record.Host
		if err = errors.Join(err, json.Unmarshal(it.Value, &h)); err != nil || !slices.Equal(h.Own, own) {
			t.Errorf("reported %v: the store has %v, %v", own, h.Own, err)
		}
	}
}
