// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/setup/unit"
	"github.com/contiv/contiv/trust"
)

// asDaemon makes the test's program act as a daemon.
const asDaemon = "CONTIV_SETUP_TEST_DAEMON"

func TestMain(m *testing.M) {
	if os.Getenv(asDaemon) != "" {
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM)
		<-stop
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// ReadEnv returns what Text has written, and a shell and systemd read the same values.
func TestEnv(t *testing.T) {
	h := &Host{Root: t.TempDir()}
	want := Env{"A": "plain:1,2", "B": `a "b" $c \d ` + "`e`", "EMPTY": ""}
	s := h.writeSettings(Netmaster, func() Env { return want })
	for _, did := range []bool{true, false} {
		if text, err := s.Do(t.Context()); err != nil || (text != "") != did {
			t.Errorf("want it changed %t, got %q, %v", did, text, err)
		}
	}
	got, err := ReadEnv(h.SettingsFile(Netmaster))
	if err != nil || len(got) != 2 || got["A"] != want["A"] || got["B"] != want["B"] {
		t.Errorf("want %v, got %v, %v", want, got, err)
	}
	if info, err := os.Stat(h.SettingsFile(Netmaster)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("want a file that only root can read, got %v, %v", info, err)
	}
	for range 2 {
		if _, err := s.Undo(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := ReadEnv(h.SettingsFile(Netmaster)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("want the file gone, got %v", err)
	}
}

// Settings that an older contiv wrote into the operator's file are moved: the operator's file keeps what contiv does not write.
func TestOlderSettings(t *testing.T) {
	h := &Host{Root: t.TempDir()}
	path := h.EnvFile(Netplugin)
	if _, err := write(path, []byte(written+", which write it again.\nA=old\nCONTIV_NETPLUGIN_DATAPATH=netdev\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := h.Settings(Netplugin); got["A"] != "old" {
		t.Errorf("want the settings as they are, got %v", got)
	}
	for range 2 {
		if _, err := h.writeSettings(Netplugin, func() Env { return Env{"A": "new"} }).Do(t.Context()); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "CONTIV_NETPLUGIN_DATAPATH=netdev\n" {
			t.Errorf("want only the operator's line, got %q, %v", text, err)
		}
	}
	if got := h.Settings(Netplugin); got["A"] != "new" || got["CONTIV_NETPLUGIN_DATAPATH"] != "netdev" {
		t.Errorf("want both, got %v", got)
	}
	if err := os.Chown(path, 61, 61); err != nil {
		t.Fatal(err)
	}
	if got := h.Settings(Netplugin); got["CONTIV_NETPLUGIN_DATAPATH"] != "" {
		t.Errorf("want no settings from a file of another user, got %v", got)
	}
	output, err := h.writeSettings(Netplugin, nil).Undo(t.Context())
	if err != nil || !strings.Contains(output, path+" is yours") {
		t.Errorf("want the operator's file to stay, got %q, %v", output, err)
	}
}

func TestInvitation(t *testing.T) {
	token := trust.NewToken(strings.Repeat("ab", 32))
	for text, want := range map[string]string{
		token.String() + "@192.0.2.1":          "192.0.2.1:9999",
		token.String() + "@192.0.2.1:1":        "192.0.2.1:1",
		token.String() + "@[2001:db8::1]":      "[2001:db8::1]:9999",
		token.String() + "@[2001:db8::1]:1":    "[2001:db8::1]:1",
		token.String() + "@master.example.org": "master.example.org:9999",
	} {
		if got, err := ParseInvitation(text); err != nil || got.Address != want || got.Token != token {
			t.Errorf("%s: want %s, got %s, %v", text, want, got.Address, err)
		}
	}
	for _, text := range []string{"", "@192.0.2.1", token.String(), token.String() + "@", "x@192.0.2.1"} {
		if _, err := ParseInvitation(text); err == nil || !strings.Contains(err.Error(), "contiv token create") {
			t.Errorf("%q: want the remedy, got %v", text, err)
		}
	}
}

func FuzzParseInvitation(f *testing.F) {
	f.Add(trust.NewToken(strings.Repeat("ab", 32)).String() + "@192.0.2.1")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseInvitation(text)
		if err != nil {
			return
		}
		if again, err := ParseInvitation(got.String()); err != nil || again != got {
			t.Errorf("%q is %q, which is %q, %v", text, got, again, err)
		}
	})
}

// Steps stop at the first failure, and continue from there in the next run.
func TestSteps(t *testing.T) {
	var output []string
	broken := true
	step := func(name string, fails func() bool) Step {
		return Step{Name: name, Do: func(context.Context) (string, error) {
			if fails() {
				return "", errors.New("no space")
			}
			return "did " + name, nil
		}}
	}
	never := func() bool { return false }
	steps := []Step{step("a", never), step("b", func() bool { return broken }), {Name: "c", Do: func(context.Context) (string, error) { return "", nil }}, step("d", never)}
	say := func(text string) { output = append(output, text) }
	if err := Run(t.Context(), steps, say); err == nil || err.Error() != "b: no space" || !slices.Equal(output, []string{"did a"}) {
		t.Errorf("want to stop at b, got %v after %v", err, output)
	}
	broken, output = false, nil
	if err := Run(t.Context(), steps, say); err != nil || !slices.Equal(output, []string{"did a", "did b", "did d"}) {
		t.Errorf("want all, got %v after %v", err, output)
	}
}

func wish() Wish {
	return Wish{Label: "h1", Address: "192.0.2.1", VTEP: "198.51.100.1", Settings: model.ClusterSettings{Mode: "docker", NetMode: "vxlan", FwdMode: "routing"}}
}

// Setting up the first host writes only its own files, and is idempotent.
func TestInit(t *testing.T) {
	h := &Host{Root: t.TempDir(), Bin: "/usr/bin"}
	steps := func() []Step {
		return (&Init{Host: h, Wish: wish(), Store: model.StoreSettings{Kind: "embedded"}, Hostname: "one.example.org", Starter: ByHand{h}, Now: time.Now}).Steps()
	}
	var output []string
	if err := Run(t.Context(), steps(), func(text string) { output = append(output, text) }); err != nil {
		t.Fatal(err)
	}
	before := map[string]string{}
	for _, path := range []string{h.Trust().KeyFile(), h.Trust().PairFile(trust.Master), h.SettingsFile(Netmaster)} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before[path] = string(text)
	}
	if err := Run(t.Context(), steps(), func(string) {}); err != nil {
		t.Fatal(err)
	}
	for path, was := range before {
		if now, err := os.ReadFile(path); err != nil || string(now) != was {
			t.Errorf("want %s to stay, got %v", path, err)
		}
	}
	if err := h.Finished(); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), steps(), func(string) {}); err == nil || !strings.Contains(err.Error(), "this host is already h1 in a cluster, with a netmaster") || !strings.Contains(err.Error(), "contiv leave") {
		t.Errorf("want a member to be refused, got %v", err)
	}
	for _, role := range []trust.Role{trust.Master, trust.Agent, trust.User} {
		held, err := trust.Open(h.Trust(), role)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[trust.Role]string{trust.Master: "h1", trust.Agent: "h1", trust.User: "admin"}[role]; held.Identity().Name != want {
			t.Errorf("want %s, got %s", want, held.Identity())
		}
	}
	env, err := ReadEnv(h.SettingsFile(Netmaster))
	if err != nil || env["CONTIV_NETMASTER_EMBEDDED_STORE"] != filepath.Join(h.Root, "/var/lib/contiv/store") || env["CONTIV_NETMASTER_EMBEDDED_JOIN"] != "" ||
		env["CONTIV_NETMASTER_EMBEDDED_PEER_URL"] != "https://192.0.2.1:2380" {
		t.Errorf("want a store of its own, got %v, %v", env, err)
	}
	if !slices.Equal(h.Netmasters(), []string{"192.0.2.1:9999"}) || !h.Masters() || !h.Member() {
		t.Errorf("want the host to know its netmaster, got %v", h.Netmasters())
	}
	if label, err := h.Labelled(); label != "h1" || err != nil {
		t.Errorf("want h1, got %q, %v", label, err)
	}
	gone := (&Leave{Host: h, Label: "h1", Starter: ByHand{h}, Last: true, Force: true}).Steps()
	for range 2 {
		if err := Run(t.Context(), gone, func(string) {}); err != nil {
			t.Error(err)
		}
	}
	if h.Member() || h.Masters() {
		t.Error("want nothing left of the host")
	}
	for _, dir := range []string{"/etc/contiv", "/var/lib/contiv"} {
		if _, err := os.Stat(h.at(dir)); err == nil {
			t.Errorf("%s is left", dir)
		}
	}
}

// The settings of a netmaster depend on the store.
func TestMasterEnv(t *testing.T) {
	h, w := &Host{}, wish()
	for name, c := range map[string]struct {
		store model.StoreSettings
		want  Env // a subset
	}{
		"single": {model.StoreSettings{Kind: "embedded"}, Env{"CONTIV_NETMASTER_EMBEDDED_NAME": "h1", "CONTIV_NETMASTER_EMBEDDED_CLUSTER": ""}},
		"joins":  {model.StoreSettings{Kind: "embedded", Members: map[string]string{"h2": "https://b", "h1": "https://a"}}, Env{"CONTIV_NETMASTER_EMBEDDED_CLUSTER": "h1=https://a,h2=https://b", "CONTIV_NETMASTER_EMBEDDED_JOIN": "true"}},
		"etcd":   {model.StoreSettings{Kind: "etcd", URLs: []string{"https://a", "https://b"}}, Env{"CONTIV_NETMASTER_ETCD_ENDPOINTS": "https://a,https://b", "CONTIV_NETMASTER_EMBEDDED_STORE": ""}},
		"consul": {model.StoreSettings{Kind: "consul", URLs: []string{"https://a"}}, Env{"CONTIV_NETMASTER_CONSUL_ENDPOINTS": "https://a", "CONTIV_NETMASTER_EMBEDDED_STORE": ""}},
	} {
		got := h.masterEnv(&w, c.store)
		for key, want := range c.want {
			if got[key] != want {
				t.Errorf("%s: %s: want %q, got %q", name, key, want, got[key])
			}
		}
	}
}

// A daemon is started once, is found running, and is stopped; with systemd, through systemctl and a unit.
func TestStarters(t *testing.T) {
	h := &Host{Root: t.TempDir(), Bin: t.TempDir()}
	program := filepath.Join(h.Bin, Netplugin)
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, program)
	}
	if err != nil {
		t.Fatal(err)
	}
	d := Detached{h}
	if _, err := d.Start(t.Context(), Netplugin); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("want its settings to be missing, got %v", err)
	}
	if did, err := d.Stop(t.Context(), Netplugin); did != "" || err != nil {
		t.Errorf("want nothing stopped, got %q, %v", did, err)
	}
	if _, err := h.writeSettings(Netplugin, func() Env { return Env{asDaemon: "1"} }).Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, starts := range []bool{true, false} {
		if did, err := d.Start(t.Context(), Netplugin); err != nil || (did != "") != starts {
			t.Errorf("want it to start %t, got %q, %v", starts, did, err)
		}
	}
	first := h.pid(Netplugin)
	if _, err := write(h.EnvFile(Netplugin), []byte("CONTIV_NETPLUGIN_LOG_LEVEL=debug\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, starts := range []bool{true, false} { // other settings restart it, once
		if did, err := d.Start(t.Context(), Netplugin); err != nil || (did != "") != starts {
			t.Errorf("other settings: want it to start %t, got %q, %v", starts, did, err)
		}
	}
	if now := h.pid(Netplugin); now == 0 || now == first {
		t.Errorf("want another process than %d, got %d", first, now)
	}
	for _, stops := range []bool{true, false} {
		if did, err := d.Stop(t.Context(), Netplugin); err != nil || (did != "") != stops {
			t.Errorf("want it to stop %t, got %q, %v", stops, did, err)
		}
	}
	var calls [][]string
	users := 0
	s := Systemd{Host: h, Ctl: func(_ context.Context, args ...string) error { calls = append(calls, args); return nil }, Sysusers: func(context.Context, string) error { users++; return nil }, Release: 252}
	if _, err := s.Start(t.Context(), Netplugin); err != nil {
		t.Fatal(err)
	}
	if did, err := s.Start(t.Context(), Netplugin); did != "" || err != nil {
		t.Errorf("want a running daemon kept, got %q, %v", did, err)
	}
	if _, err := write(h.EnvFile(Netplugin), []byte("CONTIV_NETPLUGIN_DATAPATH=netdev\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if did, err := s.Start(t.Context(), Netplugin); did == "" || err != nil {
		t.Errorf("want other settings to restart it, got %q, %v", did, err)
	}
	text, err := os.ReadFile(h.unitFile(Netplugin))
	if err != nil || !strings.Contains(string(text), "EnvironmentFile="+h.SettingsFile(Netplugin)+"\nEnvironmentFile=-"+h.EnvFile(Netplugin)+"\n") || !strings.Contains(string(text), "\nExecStart="+program+"\nExecReload=/bin/kill -HUP $MAINPID\n") {
		t.Errorf("want a unit, got %s, %v", text, err)
	}
	if delay, err := os.ReadFile(h.switchDelayFile()); err != nil || string(delay) != unit.SwitchDelay {
		t.Errorf("want ovs-vswitchd to start late enough, got %q, %v", delay, err)
	}
	if strings.Contains(string(text), "RestartSteps") {
		t.Errorf("systemd 252 warns of RestartSteps, got %s", text)
	}
	for range 2 {
		if _, err := s.Stop(t.Context(), Netplugin); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Dir(h.switchDelayFile())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("want nothing left beside the unit of ovs-vswitchd, got %v", err)
	}
	var verbs []string
	for _, args := range calls {
		verbs = append(verbs, args[0])
	}
	if !slices.Equal(verbs, []string{"daemon-reload", "enable", "stop", "start", "is-active", "daemon-reload", "enable", "stop", "start", "daemon-reload", "disable", "daemon-reload"}) {
		t.Errorf("want each verb once, got %v", verbs)
	}
	if users != 0 {
		t.Errorf("netplugin runs as root, got %d users created", users)
	}
	if _, err := s.Start(t.Context(), Netmaster); err != nil || users != 1 {
		t.Errorf("want the user of netmaster created, got %d, %v", users, err)
	}
}

// The unit of a package is started and stopped, but neither written nor removed; it replaces one that contiv wrote before.
func TestPackagedUnit(t *testing.T) {
	h := &Host{Root: t.TempDir(), Bin: "/usr/sbin"}
	path := h.at("/usr/lib/systemd/system/contiv-netplugin.service")
	for _, path := range []string{path, h.unitFile(Netplugin)} {
		if _, err := write(path, []byte("[Unit]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.writeSettings(Netplugin, func() Env { return Env{"A": "1"} }).Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	var verbs []string
	s := Systemd{Host: h, Ctl: func(_ context.Context, args ...string) error { verbs = append(verbs, args[0]); return nil }}
	if did, err := s.Start(t.Context(), Netplugin); err != nil || !strings.Contains(did, "removed "+h.unitFile(Netplugin)) {
		t.Errorf("want the other unit replaced, got %q, %v", did, err)
	}
	if did, err := s.Start(t.Context(), Netplugin); err != nil || did != "" {
		t.Errorf("want a running daemon kept, got %q, %v", did, err)
	}
	for _, stops := range []bool{true, false} {
		if did, err := s.Stop(t.Context(), Netplugin); err != nil || (did != "") != stops {
			t.Errorf("want it to stop %t, got %q, %v", stops, did, err)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("want the unit of the package kept, got %v", err)
	}
	if !slices.Equal(verbs, []string{"daemon-reload", "enable", "stop", "start", "is-active", "daemon-reload", "disable", "daemon-reload"}) {
		t.Errorf("want each verb once, got %v", verbs)
	}
}
