// SPDX-License-Identifier: Apache-2.0

package cniconf

import (
	"bytes"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	empty = "contiv-5e1f-eth0"
	half  = "contiv-5e2f-eth0"
	whole = "contiv-5e3f-eth0"
	other = "bridge-5e4f-eth0"
)

func folder(t *testing.T) (dir string, write func(name, text string)) {
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, results), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, results, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func files(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, results))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// A result of the network that is not whole goes, when it has not changed from one look to the next; others stay, whole or not.
func TestSweep(t *testing.T) {
	dir, write := folder(t)
	log := new(bytes.Buffer)
	s := &CacheSweeper{Dir: dir, Network: "contiv", Log: slog.New(slog.NewTextHandler(log, nil))}
	write(empty, "")
	write(half, `{"kind":"cniCacheV1","containerId":"5e`)
	write(whole, `{"kind":"cniCacheV1"}`)
	write(other, "")
	broken, err := s.sweep(nil)
	if got, want := slices.Sorted(maps.Keys(broken)), []string{empty, half}; err != nil || !slices.Equal(got, want) {
		t.Fatalf("got %v, %v; want %v", got, err, want)
	}
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(dir, results, half), later, later); err != nil { // it is being written
		t.Fatal(err)
	}
	if broken, err = s.sweep(broken); err != nil || len(broken) != 1 {
		t.Fatalf("got %v, %v", broken, err)
	}
	if got, want := files(t, dir), []string{other, half, whole}; !slices.Equal(got, want) {
		t.Errorf("left are %v, want %v", got, want)
	}
	if !strings.Contains(log.String(), empty) {
		t.Errorf("the log says nothing of it: %s", log)
	}
	write(half, `{"kind":"cniCacheV1","containerId":"5e2f"}`)
	if broken, err = s.sweep(broken); err != nil || len(broken) != 0 {
		t.Errorf("one that was written meanwhile: got %v, %v", broken, err)
	}
	if got, want := files(t, dir), []string{other, half, whole}; !slices.Equal(got, want) {
		t.Errorf("left are %v, want %v", got, want)
	}
}

// A host without results of a runtime needs no sweep; an unreadable directory is reported.
func TestSweepNothing(t *testing.T) {
	dir := t.TempDir()
	s := &CacheSweeper{Dir: dir, Network: "contiv", Log: slog.New(slog.DiscardHandler)}
	if broken, err := s.sweep(nil); err != nil || len(broken) != 0 {
		t.Errorf("got %v, %v", broken, err)
	}
	if err := os.WriteFile(filepath.Join(dir, results), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.sweep(nil); err == nil {
		t.Error("a file in the directory's place is no error")
	}
}
