// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// Captured packets go to the output or a file unchanged, and an incomplete stream is reported as such.
func TestCapture(t *testing.T) {
	master := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		ask := q.URL.Query()
		w.Header().Add(model.CaptureHeader, "endpoint "+ask.Get("of")+" on host h1")
		if ask.Get("both") == "true" {
			w.Header().Add(model.CaptureHeader, "endpoint "+ask.Get("peer")+" on host h2")
		}
		w.Header().Set("Content-Type", q.Header.Get("Accept"))
		if ask.Get("of") == "old" {
			w.Header().Del(model.CaptureHeader)
		}
		_, _ = w.Write([]byte("packets of " + ask.Get("of") + " as " + q.Header.Get("Accept") + "\n"))
		if ask.Get("of") == "broken" {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(master.Close)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("of before"), 0o644); err != nil { // open to others
		t.Fatal(err)
	}
	const atWeb, atDB = "capturing at endpoint web on host h1\n", "capturing at endpoint db on host h2\n"
	rows := []struct {
		line           string
		code           int
		out, err, file string
	}{
		{"capture web", 0, "packets of web as text/plain\n", atWeb, ""},
		{"capture web db", 0, "packets of web as text/plain\n", atWeb + atDB, ""},
		{"capture web db -w -", 0, "packets of web as application/x-pcapng\n", atWeb + atDB, ""},
		{"capture web db -w " + file, 0, "", atWeb + atDB, "packets of web as application/x-pcapng\n"},
		{"capture broken", 3, "packets of broken as text/plain\n", "the capture was interrupted: unexpected EOF", ""},
		{"capture old", 3, "", "does not join captures (it is of another version: netctl version)", ""},
		{"capture web -w " + filepath.Join(file, "none"), 4, "", "not a directory", ""},
	}
	for _, r := range rows {
		got := netctl(t, context.Background(), master.URL, strings.Fields(r.line)...)
		if got.code != r.code || got.out != r.out || !strings.Contains(got.err, r.err) || r.code == 0 && got.err != r.err {
			t.Errorf("netctl %s: want exit %d, %q and %q, got %+v", r.line, r.code, r.out, r.err, got)
		}
		if r.file == "" {
			continue
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != r.file {
			t.Errorf("netctl %s: want %q in the file, got %q, %v", r.line, r.file, text, err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("netctl %s: want packets in a file only for its owner, got %v, %v", r.line, info.Mode(), err)
		}
	}
}
