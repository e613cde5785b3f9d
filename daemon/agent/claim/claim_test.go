package claim

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// agent is one machine's agent, as far as its claim goes.
type agent struct {
	*Claim
	lease store.Lease
}

func start(t *testing.T, db *memory.Store, host, machine, vtep, control, seat string) *agent {
	t.Helper()
	lease, err := db.Grant(t.Context(), cluster.ServiceTTL)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{New(Options{Store: db, Host: host, Machine: machine, VTEP: vtep, Control: control, Log: slog.New(slog.DiscardHandler)}), lease}
	a.Sit(seat)
	return a
}

func (a *agent) try(t *testing.T) error {
	t.Helper()
	var tx store.Tx
	if err := a.Admit(t.Context(), &tx, a.lease); err != nil {
		return err
	}
	if _, err := a.Store.Commit(t.Context(), &tx); err != nil {
		return err
	}
	a.Admitted()
	return nil
}

func (a *agent) stop(t *testing.T) {
	t.Helper()
	if err := a.lease.Revoke(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (a *agent) must(t *testing.T) *agent {
	t.Helper()
	if err := a.try(t); err != nil || !a.Owned() || a.Refusal() != "" {
		t.Fatalf("host %s of machine %s: want it admitted, got %v %q", a.Host, a.Machine, err, a.Refusal())
	}
	return a
}

func (a *agent) refused(t *testing.T, words ...string) {
	t.Helper()
	err := a.try(t)
	if !errors.Is(err, cluster.ErrNotAdmitted) || a.Owned() || a.Refusal() == "" {
		t.Fatalf("host %s of machine %s: want it refused, got %v", a.Host, a.Machine, err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the refusal: want %q in it, got %v", word, err)
		}
	}
}

// keys lists the claims in the store, with who has them.
func keys(t *testing.T, db *memory.Store) string {
	t.Helper()
	items, _, err := db.List(t.Context(), record.Claims)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range items {
		var c record.Claim
		if err := json.Unmarshal(i.Value, &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.TrimPrefix(i.Key, record.Claims)+"="+c.Machine)
	}
	return strings.Join(out, " ")
}

// A label and an address belong to the machine that has taken them, whether its agent runs or not, until it gives them up.
func TestOneMachineEach(t *testing.T) {
	db := memory.New()
	first := start(t, db, "h1", "m1", "192.0.2.1", "192.0.2.1:9090", "s1").must(t)
	label := start(t, db, "h1", "m2", "192.0.2.2", "192.0.2.2:9090", "s2")
	label.refused(t, "host label h1", "machine m1", "192.0.2.1:9090", "machine is m2", "192.0.2.2:9090", "--host")
	start(t, db, "h3", "m3", "192.0.2.1", "192.0.2.3:9090", "s3").refused(t, "tunnel address 192.0.2.1 belongs to host h1 (machine m1", "whose agent runs",
		"host h3 (machine m3", "--vtep-ip", "netctl node forget h1")
	start(t, db, "h4", "m4", "192.0.2.4", "192.0.2.1:9090", "s4").refused(t, "control address 192.0.2.1:9090", "--ctrl-ip")
	want := "control/192.0.2.1:9090=m1 host/h1=m1 live/h1=m1 vtep/192.0.2.1=m1"
	if got := keys(t, db); got != want {
		t.Errorf("claims: want %s, got %s", want, got)
	}
	first.stop(t)
	label.refused(t, "host label h1", "whose agent does not run", "netctl node forget h1")

	// The machine comes back with other addresses: the old ones are free.
	start(t, db, "h1", "m1", "192.0.2.9", "", "after the machine's restart").must(t)
	if got, want := keys(t, db), "host/h1=m1 live/h1=m1 vtep/192.0.2.9=m1"; got != want {
		t.Errorf("after a change of addresses: want %s, got %s", want, got)
	}
	start(t, db, "h3", "m3", "192.0.2.1", "192.0.2.3:9090", "s3").must(t)
}

// Of machines that cannot be told apart one is the host at a time, and an agent that starts again is it at once.
func TestClones(t *testing.T) {
	db := memory.New()
	first := start(t, db, "h1", "m", "192.0.2.1", "", "s1").must(t)
	clone := start(t, db, "h1", "m", "192.0.2.1", "", "s2")
	clone.refused(t, "host label h1", "whose agent runs")
	start(t, db, "h2", "m", "192.0.2.1", "", "s2").refused(t, "tunnel address 192.0.2.1", "whose agent runs")
	again := start(t, db, "h1", "m", "192.0.2.1", "", "s1").must(t) // its predecessor was killed
	first.stop(t)                                                   // whose lease expires later
	clone.refused(t, "whose agent runs")
	again.stop(t)
	clone.must(t)
}

// A machine that gets another label gives up the one that it had.
func TestAnotherLabel(t *testing.T) {
	db := memory.New()
	start(t, db, "h1", "m", "192.0.2.1", "", "s").must(t).stop(t)
	start(t, db, "h2", "m", "192.0.2.1", "", "s").must(t)
	if got, want := keys(t, db), "host/h2=m live/h2=m vtep/192.0.2.1=m"; got != want {
		t.Errorf("after another --host: want %s, got %s", want, got)
	}
}

// Two that claim at the same moment do not both get it.
func TestAtTheSameMoment(t *testing.T) {
	db := memory.New()
	a, b := start(t, db, "h1", "m1", "192.0.2.1", "", "s1"), start(t, db, "h2", "m2", "192.0.2.1", "", "s2")
	var one, two store.Tx
	if err := errors.Join(a.Admit(t.Context(), &one, a.lease), b.Admit(t.Context(), &two, b.lease)); err != nil {
		t.Fatal(err)
	}
	_, err := db.Commit(t.Context(), &one)
	if _, late := db.Commit(t.Context(), &two); err != nil || !errors.Is(late, store.ErrConflict) {
		t.Errorf("both claims: want the second in conflict, got %v and %v", err, late)
	}
}

func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	id, uuid, empty := file("machine-id", "b08dfa6083e7567a1921a715000001fb\n"), file("uuid", "F00D\n"), file("empty", "uninitialized\n")
	both := identity("", "h1", id, uuid)
	if strings.Contains(both, "b08d") || len(both) != 16 {
		t.Errorf("identity: want a hash, got %q", both)
	}
	for name, other := range map[string]string{"another disk": identity("", "h1", uuid), "another board": identity("", "h1", id),
		"as it is called": identity("x", "h1", id, uuid), "nothing known": identity("", "h1", empty, "/nonesuch")} {
		if other == both {
			t.Errorf("%s: want another identity, got the same", name)
		}
	}
	if identity("", "h9", id, uuid) != both || identity("", "h1", empty) == identity("", "h2", empty) {
		t.Error("the label: want it to count for machines of which nothing else is known, and for no others")
	}
}

// A seat is one process's, and what is in the file after a crash or by others' hands does not keep the next one from it.
func TestSeat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "contiv0.agent")
	first, err := Take(path)
	if err != nil || len(first.Token) != 2*tokenBytes {
		t.Fatalf("first: want a seat, got %+v %v", first, err)
	}
	if _, err := Take(path); !errors.Is(err, ErrTaken) {
		t.Errorf("second: want ErrTaken, got %v", err)
	}
	first.Leave()
	again, err := Take(path)
	if err != nil || again.Token != first.Token {
		t.Errorf("again: want the same token, got %+v %v", again, err)
	}
	again.Leave()
	if _, err := Take("/nonesuch/x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: want it told, got %v", err)
	}
}

func FuzzSeat(f *testing.F) {
	for _, s := range []string{"", "x", strings.Repeat("0", 2*tokenBytes), strings.Repeat("ab", 4*tokenBytes), "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path := filepath.Join(t.TempDir(), "seat")
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			seat, err := Take(path)
			if err != nil || len(seat.Token) != 2*tokenBytes {
				t.Fatalf("%q: want a token, got %+v %v", s, seat, err)
			}
			seat.Leave()
		}
	})
}

func FuzzClaim(f *testing.F) {
	f.Add([]byte(`{"machine":"m1","host":"h1","vtep":"192.0.2.1"}`))
	f.Add([]byte(`{"machine":"m2","host":"h2","control":"x"}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, b []byte) {
		db := memory.New()
		var tx store.Tx
		tx.Put(record.HostClaim("h1"), b)
		tx.Put(record.VTEPClaim("192.0.2.1"), b)
		if _, err := db.Commit(context.Background(), &tx); err != nil {
			t.Fatal(err)
		}
		a := start(t, db, "h1", "m1", "192.0.2.1", "", "s")
		if err := a.try(t); err != nil && !errors.Is(err, cluster.ErrNotAdmitted) {
			t.Errorf("%q: want it admitted or refused, got %v", b, err)
		}
	})
}
