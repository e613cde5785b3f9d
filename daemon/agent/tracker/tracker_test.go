// SPDX-License-Identifier: Apache-2.0

package tracker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/checksum"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// world is a Controller with tenants and a clock that the test sets.
type world struct {
	*Controller
	tenants map[string]uint16
	now     time.Time
}

func newWorld(datapath string, control func(ctx context.Context, command string, args ...string) (string, error)) *world {
	w := &world{tenants: map[string]uint16{}, now: time.Unix(1000, 0)}
	w.Controller = New(Config{Datapath: func() string { return datapath }, Control: control, Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler),
		View: func(fn func(*ofnet.State)) {
			s := ofnet.NewState("h1")
			for name, id := range w.tenants {
				s.Tenants.Set(name, &ofnet.Tenant{Name: name, ID: id})
			}
			fn(s)
		}})
	return w
}

// On a real switch, tenants get their shares, changes by others are repaired, removed tenants release their limits, and zones of others stay.
func TestLimits(t *testing.T) {
	ovs := ovstest.Start(t)
	ovs.Bridge("br0")
	kind := ovs.Datapath()
	datapath := kind + "@ovs-" + kind
	c := ovs.Control()
	w := newWorld(kind, func(ctx context.Context, command string, args ...string) (string, error) {
		conn, err := vswitchd.Dial(ctx, filepath.Join(ovs.Dir, "vswitchd.ctl"))
		if err != nil {
			return "", err
		}
		defer func() { _ = conn.Close() }()
		return conn.Do(ctx, command, args...)
	})
	w.Proc, w.Ledger = "/proc", Ledger(filepath.Join(t.TempDir(), "limits"))
	if kind == "netdev" { // the kernel's is everyone's
		c.Do("dpctl/ct-set-maxconns", datapath, "800")
	}
	c.Do("dpctl/ct-set-limits", datapath, "zone=900,limit=5")
	check := func(what string, tenants map[string]uint16) {
		t.Helper()
		w.tenants = tenants
		w.Look(t.Context())
		u := w.Usage()
		if u.Unknown+u.Unlimited != "" || u.Limit == 0 || len(u.Zones) != len(tenants) || kind == "netdev" && u.Limit != 800 {
			t.Errorf("%s: got %+v", what, u)
		}
		own, hairpin := Shares(u.Limit, len(tenants))
		want := map[uint16]uint32{900: 5}
		for _, zone := range tenants {
			want[zone], want[zone|hairpins] = own, hairpin
		}
		list, err := vswitchd.ParseZoneLimits(c.Do("dpctl/ct-get-limits", datapath))
		got := map[uint16]uint32{}
		for _, l := range list {
			got[l.Zone] = l.Limit
		}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: want limits %v, got %v, %v", what, want, got, err)
		}
	}
	check("one tenant", map[string]uint16{"red": 1})
	c.Do("dpctl/ct-del-limits", datapath, "zone=32769")
	check("two, and a limit that someone took away", map[string]uint16{"red": 1, "blue": 2})
	check("one is gone", map[string]uint16{"blue": 2})
	check("another has come", map[string]uint16{"blue": 2, "green": 3})
	w.Controller = New(w.Config)
	check("it is gone while another agent starts", map[string]uint16{"blue": 2})
	ovs.StopSwitch()
	ovs.StartSwitch()
	c = ovs.Control()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); ; { // until its bridges are there
		if w.Look(ctx); w.Usage().Unknown == "" || ctx.Err() != nil {
			tick.Stop()
			break
		}
		<-tick.C
	}
	own, _ := Shares(w.Usage().Limit, 1)
	if list, err := vswitchd.ParseZoneLimits(c.Do("dpctl/ct-get-limits", datapath, "zone=2")); err != nil || len(list) != 1 || list[0].Limit != own {
		t.Errorf("after the switch has started again: want %d, got %v, %v", own, list, err)
	}
	c.Do("dpctl/ct-set-limits", datapath, "zone=32770,limit=7", "zone=900,limit=5")
	for range 2 { // the second time there is nothing
		if err := Release(t.Context(), w.Ledger, w.Control); err != nil {
			t.Error(err)
		}
	}
	left := map[uint16]uint32{}
	list, err := vswitchd.ParseZoneLimits(c.Do("dpctl/ct-get-limits", datapath))
	for _, l := range list {
		left[l.Zone] = l.Limit
	}
	if err != nil || !maps.Equal(left, map[uint16]uint32{900: 5, 32770: 7}) {
		t.Errorf("after Release: want another's limit and one that was changed, got %v, %v", left, err)
	}
	if all, err := w.Ledger.Limits(); err != nil || len(all) > 0 {
		t.Errorf("after Release: the ledger has %v, %v", all, err)
	}
	if kind == "system" { // limits outlast the switch
		c.Do("dpctl/ct-del-limits", datapath, "zone=900,32770")
	}
}

// If the switch does not answer, the ledger stays, so that Release can be repeated; a removed datapath has no limits. Without a ledger no
// limit is set.
func TestLedger(t *testing.T) {
	l := Ledger(filepath.Join(t.TempDir(), "limits"))
	if err := l.put("system@ovs-system", Limits{1: 9}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		err  error
		left int
	}{{errors.New("connect to ovs-vswitchd"), 1}, {&vswitchd.Refusal{Reason: "no such datapath"}, 0}} {
		err := Release(t.Context(), l, func(context.Context, string, ...string) (string, error) { return "", test.err })
		if all, _ := l.Limits(); len(all) != test.left || (err != nil) != (test.left > 0) {
			t.Errorf("%v: got %v and %d datapaths, want %d", test.err, err, len(all), test.left)
		}
	}
	var set bool
	w := newWorld("netdev", func(_ context.Context, command string, _ ...string) (string, error) {
		set = set || command == "dpctl/ct-set-limits"
		return map[string]string{"dpctl/ct-get-nconns": "7", "dpctl/ct-get-maxconns": "10", "coverage/read-counter": "0"}[command], nil
	})
	w.tenants["red"], w.Ledger = 1, Ledger(filepath.Join(t.TempDir(), "away", "limits"))
	if w.Look(t.Context()); set || w.Usage().Unlimited == "" {
		t.Errorf("a ledger that cannot be written: limits set: %t, %+v", set, w.Usage())
	}
}

// A ledger without limits is not stored, so a host after an uninstall has no file.
func TestLedger_Empty(t *testing.T) {
	l := Ledger(filepath.Join(t.TempDir(), "limits"))
	for _, limits := range []Limits{{7: 100}, {}} {
		if err := l.put("system@ovs-system", limits); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(string(l)); (err == nil) != (len(limits) > 0) {
			t.Errorf("limits %v: got %v", limits, err)
		}
	}
	if err := l.Remove(); err != nil {
		t.Errorf("a file that is gone: want no error, got %v", err)
	}
}

// A damaged ledger is ignored and replaced. A ledger of an earlier build has no checksum.
func TestLedgerDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "limits")
	l := Ledger(path)
	if err := l.put("system@ovs-system", Limits{1: 9}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damage := func() {
		t.Helper()
		if err := os.WriteFile(path, bytes.Replace(text, []byte(`"1":9`), []byte(`"3":9`), 1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damage()
	if all, err := l.Limits(); len(all) != 0 || !errors.Is(err, checksum.ErrDamaged) {
		t.Errorf("damaged: want nothing of it, got %v, %v", all, err)
	}
	if err := l.put("system@ovs-system", Limits{2: 7}); err != nil {
		t.Fatal(err)
	}
	if all, err := l.Limits(); err != nil || !maps.Equal(all["system@ovs-system"], Limits{2: 7}) {
		t.Errorf("want a new ledger, got %v, %v", all, err)
	}
	damage()
	asked := func(context.Context, string, ...string) (string, error) {
		t.Error("want nothing asked")
		return "", nil
	}
	if err := Release(t.Context(), l, asked); !errors.Is(err, checksum.ErrDamaged) {
		t.Errorf("want it said, got %v", err)
	}
	if err := Release(t.Context(), l, asked); err != nil {
		t.Errorf("again: want nothing left, got %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"system@ovs-system":{"1":9}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := l.Limits(); err != nil || !maps.Equal(all["system@ovs-system"], Limits{1: 9}) {
		t.Errorf("of an earlier build: want it read, got %v, %v", all, err)
	}
}

// A usage that cannot be read is unknown. A switch without support for limits is reported, and a switch that refuses a connection counts as
// full for a minute.
func TestUsage(t *testing.T) {
	answers := map[string]string{"dpctl/ct-get-nconns": "7\n", "dpctl/ct-get-maxconns": "10\n", "coverage/read-counter": "0\n", "dpctl/ct-get-limits": "default limit=0\n", "dpctl/ct-set-limits": ""}
	fails := map[string]error{}
	w := newWorld("netdev", func(_ context.Context, command string, _ ...string) (string, error) {
		return answers[command], fails[command]
	})
	w.tenants["red"] = 1
	w.Look(t.Context())
	if u := w.Usage(); u.Count != 7 || u.Limit != 10 || u.Refused || u.Unknown != "" {
		t.Errorf("want 7 of 10, got %+v", u)
	}
	answers["coverage/read-counter"] = "3\n"
	w.Look(t.Context())
	if u := w.Usage(); !u.Refused {
		t.Errorf("want that it refused some, got %+v", u)
	}
	w.now = w.now.Add(stays)
	w.Look(t.Context())
	if u := w.Usage(); u.Refused {
		t.Errorf("a minute later: want that it refuses none, got %+v", u)
	}
	fails["dpctl/ct-set-limits"] = &vswitchd.Refusal{Command: "dpctl/ct-set-limits", Reason: "Operation not supported"}
	w.Look(t.Context())
	if u := w.Usage(); !strings.Contains(u.Unlimited, "not supported") || u.Unknown != "" || len(u.Zones) != 0 {
		t.Errorf("a switch without limits: got %+v", u)
	}
	for _, command := range []string{"dpctl/ct-set-limits", "dpctl/ct-get-maxconns", "coverage/read-counter"} {
		fails = map[string]error{command: errors.New("timed out")}
		w.Look(t.Context())
		if u := w.Usage(); u.Unlimited != "" || !strings.Contains(u.Unknown, "timed out") {
			t.Errorf("%s does not answer: want that it is unknown, got %+v", command, u)
		}
	}
}

// The kernel's tracker is read from its procfs.
func TestKernelUsage(t *testing.T) {
	proc := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(proc, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld("system", func(_ context.Context, command string, args ...string) (string, error) {
		if strings.HasPrefix(command, "dpctl/ct-get-limits") && args[0] == "system@ovs-system" {
			return "default limit=0\n", nil
		}
		return "", fmt.Errorf("asked for %s %q", command, args)
	})
	w.Proc = proc
	write("sys/net/netfilter/nf_conntrack_count", "90\n")
	write("sys/net/netfilter/nf_conntrack_max", "100\n")
	w.Look(t.Context())
	if u := w.Usage(); u.Unknown != "" || u.Count != 90 || u.Refused {
		t.Errorf("without statistics: want 90 connections, and nothing said of refused ones, got %+v", u)
	}
	write("net/stat/nf_conntrack", "entries drop\n01 00\n01 00\n")
	w.Look(t.Context())
	write("net/stat/nf_conntrack", "entries drop\n01 00\n01 01\n")
	w.Look(t.Context())
	if u := w.Usage(); u.Unknown != "" || u.Count != 90 || u.Limit != 100 || !u.Refused {
		t.Errorf("want 90 of 100, and that some are refused, got %+v", u)
	}
}
