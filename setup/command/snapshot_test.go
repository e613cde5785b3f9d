// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/setup/command"
	"github.com/contiv/contiv/trust"
)

// contiv runs a command of contiv, and returns its output and its error.
func contiv(t *testing.T, args ...string) (string, error) {
	t.Helper()
	root := &cobra.Command{Use: "contiv", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(command.New()...)
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

// free returns a URL on loopback at which nothing listens.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// authority creates another authority for a host.
func authority(t *testing.T, root string) {
	t.Helper()
	dir := trust.Dir(filepath.Join(root, trust.DefaultDir))
	if err := dir.Remove(); err != nil {
		t.Fatal(err)
	}
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := a.PEM()
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.SaveAuthority(certificate, key); err != nil {
		t.Fatal(err)
	}
}

// An operator saves a store, loses it, restores it, and changes the schedule.
func TestSnapshots(t *testing.T) {
	root := t.TempDir()
	dir, client, peer := filepath.Join(root, "var/lib/contiv/store"), free(t), free(t)
	env := filepath.Join(root, "etc/contiv/host/netmaster.env")
	if err := os.MkdirAll(filepath.Dir(env), 0o755); err != nil {
		t.Fatal(err)
	}
	settings := "CONTIV_NETMASTER_EMBEDDED_STORE=" + dir + "\nCONTIV_NETMASTER_EMBEDDED_NAME=h1\nCONTIV_NETMASTER_EMBEDDED_CLIENT_URL=" + client + "\nCONTIV_NETMASTER_EMBEDDED_PEER_URL=" + peer + "\n"
	if err := os.WriteFile(env, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(want string, args ...string) string {
		t.Helper()
		out, err := contiv(t, append([]string{"snapshot", "--root", root}, args...)...)
		if err != nil {
			out += err.Error()
		}
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%v: want %s, got %s", args, want, out)
		}
		return out
	}
	start := func() *embedded.Server {
		s, err := embedded.Start(t.Context(), embedded.Config{Dir: dir, Name: "h1", ClientURL: client, PeerURL: peer})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	put := func(s store.Store, value string) {
		var tx store.Tx
		tx.Put("/a", []byte(value))
		if _, err := s.Commit(t.Context(), &tx); err != nil {
			t.Fatal(err)
		}
	}
	s := start()
	put(s, "1")
	out := run(`^saved .*/var/lib/contiv/snapshots/saved-.*: 1 keys, revision 2 of `, "save")
	file := strings.TrimSuffix(strings.Fields(out)[1], ":")
	put(s, "2")
	run(`(?m)^20.* 2 +1 +.* embedded +none +no +`+regexp.QuoteMeta(file)+"$", "ls")
	run("is intact: 1 keys", "verify", file)
	run("in use by a netmaster: stop it", "restore", file, "--replace")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	run("there is a store already: --replace", "restore", file)
	run("(?s)^restored .*the store is incarnation [a-z2-7]{26} now.*the previous data are in .*before-restore-.*next: ", "restore", file, "--replace")
	s = start()
	if item, err := s.Read(t.Context(), "/a"); err != nil || string(item.Value) != "1" {
		t.Errorf("want the saved value, got %q, %v", item.Value, err)
	}
	run("the authority's key is not part of this snapshot", "key", file, "--passphrase-file", env)
	run("add --passphrase-file", "save", "--with-key")
	body := filepath.Join(root, "etcd.db")
	run("^wrote "+body, "extract", file, body)
	if has, err := embedded.Inspect(body); err != nil || has.Keys != 1 {
		t.Errorf("extracted: want 1 key, got %+v, %v", has, err)
	}
	operators := filepath.Join(root, "etc/contiv/netmaster.env")
	if err := os.WriteFile(operators, []byte("# mine\nCONTIV_NETMASTER_SNAPSHOT_KEEP=3\nCONTIV_NETMASTER_MAX_WATCHES=9"), 0o600); err != nil {
		t.Fatal(err)
	}
	run("every 12h0m0s, and keeps 3", "schedule")
	run("every: got 1m0s, want at least 10m0s", "schedule", "--every", "1m")
	run("(?s)wrote .*every 6h0m0s, and keeps 7", "schedule", "--every", "6h", "--keep", "7")
	run("every 6h0m0s, and keeps 7", "schedule")
	text, err := os.ReadFile(operators)
	if want := "# mine\nCONTIV_NETMASTER_MAX_WATCHES=9\nCONTIV_NETMASTER_SNAPSHOT_EVERY=6h0m0s\nCONTIV_NETMASTER_SNAPSHOT_KEEP=7\n"; err != nil || string(text) != want {
		t.Errorf("want %q, got %q, %v", want, text, err)
	}
	authority(t, root)
	phrase := filepath.Join(root, "phrase")
	if err := os.WriteFile(phrase, []byte("correct horse battery\nand more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out = run("^saved ", "save", "--with-key", "--passphrase-file", phrase, "--dir", filepath.Join(root, "kept"))
	keyed := strings.TrimSuffix(strings.Fields(out)[1], ":")
	run(" yes +"+regexp.QuoteMeta(keyed), "ls", filepath.Join(root, "kept"))
	key, err := os.ReadFile(filepath.Join(root, "etc/contiv/trust/ca.key"))
	if err != nil {
		t.Fatal(err)
	}
	run(regexp.QuoteMeta(string(key))+"$", "key", keyed, "--passphrase-file", phrase)
	run("cannot be decrypted with this passphrase", "key", keyed, "--passphrase-file", operators)
	authority(t, root)
	run("authority: the snapshot is of a cluster whose authority is .* and this host trusts .* --another-authority", "restore", keyed, "--replace")
	other := t.TempDir()
	if out, err := contiv(t, "snapshot", "save", "--root", other); err == nil || !strings.Contains(err.Error(), "no netmaster") {
		t.Errorf("a host without a netmaster: want an error, got %s, %v", out, err)
	}
}
