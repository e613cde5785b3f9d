// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/member"
)

// swap replaces a directory by a copy.
func swap(t *testing.T, dir, with string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(with))); err != nil {
		t.Fatal(err)
	}
}

// copied copies a directory.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// An old copy of the only member's directory is refused until an operator accepts it; then the store is a successor, and is marked
// from there.
func TestOldCopy(t *testing.T) {
	c := Config{Dir: filepath.Join(t.TempDir(), "store"), Name: "m0", PeerURL: freeURL(t), Mark: filepath.Join(t.TempDir(), "cluster.member")}
	use := func(c Config, key string) {
		t.Helper()
		s := begin(t, c)
		put(t, s, key, "1")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	use(c, "a")
	old := copied(t, c.Dir)
	use(c, "b")
	if got := permitted(t, c, true); got != "starts" {
		t.Fatalf("an unchanged directory: want it started, got %s", got)
	}
	swap(t, c.Dir, old)
	if got := permitted(t, c, true); !strings.Contains(got, "is an old copy") || !strings.Contains(got, "start netmaster once with --new-store") || !strings.Contains(got, c.Mark) {
		t.Errorf("an old copy: want a refusal with the remedy, got %s", got)
	}
	wanted := c
	wanted.NewStore = true
	got, err := wanted.Permit(t.Context(), true)
	if err != nil || !got.Restored {
		t.Fatalf("an accepted old copy: want a restored store, got %t, %v", got.Restored, err)
	}
	s := begin(t, got)
	if _, err := s.Read(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if _, err := s.Read(t.Context(), "b"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("want the later key deleted, got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := permitted(t, c, true); got != "starts" {
		t.Errorf("after it was accepted: want it started, got %s", got)
	}
	swap(t, c.Dir, old)
	if err := os.WriteFile(c.Mark, []byte("{\n  \"dir\": \"x\",\n  \"sum\": \"crc32c:00000000\"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := permitted(t, c, true); got != "starts" {
		t.Errorf("a damaged mark has no effect: want it started, got %s", got)
	}
}

// One of several members does not vote with an old copy of its directory: it must be replaced.
func TestOldCopyOfSeveral(t *testing.T) {
	all, urls := grown(t, 2)
	putSoon(t, all[0], "a", "1")
	if err := all[1].Close(); err != nil {
		t.Fatal(err)
	}
	dir := all[1].etcd.Config().Dir
	held, err := member.Held(dir)
	if err != nil {
		t.Fatal(err)
	}
	ends, err := member.Last(dir)
	if err != nil || ends.Index == 0 || ends.Term == 0 {
		t.Fatalf("want the end of the log, got %s, %v", ends, err)
	}
	c := Config{Dir: dir, Name: "m1", PeerURL: urls["m1"], InitialCluster: urls, Existing: true, Mark: filepath.Join(t.TempDir(), "cluster.member")}
	for _, row := range []struct {
		mark   member.Mark
		change func(c *Config)
		want   string
	}{
		{member.Mark{Dir: dir, Member: held, Position: ends}, func(*Config) {}, "joins"},
		{member.Mark{Dir: dir, Member: held, Position: member.Position{Term: ends.Term, Index: ends.Index + 1}}, func(*Config) {}, "contiv replace m1 on another host, and on this one the command"},
		{member.Mark{Dir: dir, Member: held, Position: member.Position{Term: ends.Term + 1, Index: ends.Index}}, func(c *Config) { c.NewStore = true }, "--embedded-alone"},
		{member.Mark{Dir: dir, Member: held, Position: member.Position{Term: ends.Term + 1, Index: ends.Index}}, func(c *Config) { c.Alone = true }, "--embedded-alone is for a member whose others are lost"},
		{member.Mark{Dir: "/elsewhere", Member: held, Position: member.Position{Term: ends.Term + 1}}, func(*Config) {}, "joins"},
		{member.Mark{Dir: dir, Member: "1", Position: ends}, func(*Config) {}, "this host's member is 1 (" + c.Mark},
	} {
		if err := row.mark.Write(c.Mark); err != nil {
			t.Fatal(err)
		}
		now := c
		row.change(&now)
		if got := permitted(t, now, true); !strings.Contains(got, row.want) {
			t.Errorf("%+v: want %s, got %s", row.mark, row.want, got)
		}
	}
	if err := all[0].Close(); err != nil {
		t.Fatal(err)
	}
	c.Alone = true
	if err := (member.Mark{Dir: dir, Member: held, Position: member.Position{Term: ends.Term + 1, Index: ends.Index}}).Write(c.Mark); err != nil {
		t.Fatal(err)
	}
	if got := permitted(t, c, true); got != "joins" {
		t.Errorf("an old copy whose others do not answer, with --embedded-alone: want joins, got %s", got)
	}
}

// A member starts even if its mark cannot be written, and logs that once.
func TestMarkUnwritable(t *testing.T) {
	var out bytes.Buffer
	c := Config{Dir: filepath.Join(t.TempDir(), "store"), Name: "m0", PeerURL: freeURL(t), Mark: filepath.Join(t.TempDir(), "absent", "cluster.member"),
		Log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelError}))}
	s := begin(t, c)
	put(t, s, "a", "1")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	m := marker{file: c.Mark, log: slog.New(slog.NewTextHandler(&out, nil))}
	m.stopped(member.Position{})
	m.stopped(member.Position{})
	if n := strings.Count(out.String(), "not recorded"); n != 1 {
		t.Errorf("want one warning, got %d times: %s", n, out.String())
	}
}

// The recorded position is always behind the end of the member's log; after a stop it is the end.
func TestMarker(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mark")
	m := marker{file: path, own: member.Mark{Dir: "/s", Member: "a"}, at: member.Position{Term: 1, Index: 4}}
	noted := func() uint64 {
		t.Helper()
		got, err := member.ReadMark(path)
		if err != nil {
			t.Fatal(err)
		}
		return got.Index
	}
	for _, row := range []struct{ at, want uint64 }{{4, 0}, {7, 4}, {7, 4}, {9, 7}} {
		if m.see(member.Position{Term: 1, Index: row.at}); noted() != row.want {
			t.Errorf("at %d: want %d recorded, got %d", row.at, row.want, noted())
		}
	}
	if m.stopped(member.Position{Term: 1, Index: 9}); noted() != 9 {
		t.Errorf("stopped: want 9 recorded, got %d", noted())
	}
}

// A truncated or damaged database is refused before it can crash the process.
func TestDamagedDatabase(t *testing.T) {
	c := Config{Dir: filepath.Join(t.TempDir(), "store"), Name: "m0", PeerURL: freeURL(t)}
	s := begin(t, c)
	put(t, s, "a", "1")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := permitted(t, c, true); got != "starts" {
		t.Fatalf("want it started, got %s", got)
	}
	path := filepath.Join(c.Dir, "member", "snap", "db")
	for _, row := range []struct {
		name   string
		damage func(data []byte) []byte
		want   string
	}{
		{"empty", func([]byte) []byte { return nil }, "it does not begin as a database of etcd"},
		{"cut off", func(data []byte) []byte { return data[:3*os.Getpagesize()] }, "it ends after 12288 of"},
		{"one description damaged", func(data []byte) []byte { data[20] ^= 1; return data }, "starts"},
		{"both descriptions damaged", func(data []byte) []byte { data[20] ^= 1; data[os.Getpagesize()+20] ^= 1; return data }, "it does not begin as a database of etcd"},
	} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, row.damage(append([]byte{}, data...)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := permitted(t, c, true); !strings.Contains(got, row.want) || row.want != "starts" && !strings.Contains(got, "contiv snapshot restore") {
			t.Errorf("%s: want %s, got %s", row.name, row.want, got)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
