// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/bundle"
)

// A bundle is written completely or not at all. Only this account may read the file, which replaces no other.
func TestSupportBundle(t *testing.T) {
	var content bytes.Buffer
	w := bundle.NewWriter(&content, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	if err := w.Add("nodes.json", "GET /api/v1/nodes", []byte("[]")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(bundle.Manifest{From: "192.0.2.1:9999", Hosts: make([]bundle.Host, 2), Missing: []bundle.Missing{{Of: "host h2", Why: "did not answer"}}}); err != nil {
		t.Fatal(err)
	}
	short := false
	master := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/api/v1/bundle" {
			http.NotFound(w, q)
			return
		}
		w.Header().Set("Content-Type", "application/gzip")
		if short {
			_, _ = w.Write(content.Bytes()[:content.Len()/2])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(content.Bytes())
	}))
	defer master.Close()
	old := httptest.NewServer(http.NotFoundHandler())
	defer old.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.tar.gz")
	for _, row := range []struct {
		name, url, file string
		short           bool
		code            int
		out, err        string
	}{
		{"it breaks off", master.URL, file, true, 3, "", "nothing was written: the support bundle is truncated"},
		{"it is whole", master.URL, file, false, 0, file + ": 1 files, 1 KiB, of 2 hosts, created by 192.0.2.1:9999 at 2026-03-01T12:00:00Z\n", "missing: host h2: did not answer\n"},
		{"again", master.URL, file, false, 4, "", "already exists"},
		{"no such directory", master.URL, filepath.Join(dir, "none", "a"), false, 4, "", "no such file or directory"},
		{"an older netmaster", old.URL, filepath.Join(dir, "b"), false, 3, "", "writes no support bundles"},
	} {
		short = row.short
		got := netctl(t, context.Background(), row.url, "support-bundle", "-o", row.file)
		if got.code != row.code || got.out != row.out || !strings.Contains(got.err, row.err) {
			t.Errorf("%s: want %d, %q, %q, got %d, %q, %q", row.name, row.code, row.out, row.err, got.code, got.out, got.err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("want only the bundle, got %v, %v", left, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("want mode 0600, got %v, %v", info.Mode(), err)
	}
}

// An unreadable bundle is an error of the client, and no netmaster is asked instead.
func TestBundleCannotBeRead(t *testing.T) {
	t.Setenv("PATH", "")
	file := filepath.Join(t.TempDir(), "a.tar.gz")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		code int
		err  string
	}{
		{[]string{"--bundle", file + ".none", "network", "ls"}, 4, "no such file"},
		{[]string{"--bundle=" + file, "network", "ls"}, 4, "requires netmaster: not found next to this program or in $PATH"},
		{[]string{"--bundle", file, "login"}, 1, "a support bundle has no logins"},
	} {
		if got := netctl(t, context.Background(), "http://127.0.0.1:1", row.args...); got.code != row.code || !strings.Contains(got.err, row.err) {
			t.Errorf("%q: want %d, %q, got %d, %q", row.args, row.code, row.err, got.code, got.err)
		}
	}
}
