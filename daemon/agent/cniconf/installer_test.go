// SPDX-License-Identifier: Apache-2.0

package cniconf

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/containernetworking/cni/libcni"
)

// host has the directories of a host on which an Installer runs.
type host struct {
	*testing.T
	bin, conf, program string
	serves             atomic.Bool
	end                context.CancelFunc
	ended              chan error
}

func newHost(t *testing.T) *host {
	dir := t.TempDir()
	h := &host{T: t, bin: filepath.Join(dir, "opt/cni/bin"), conf: filepath.Join(dir, "etc/cni/net.d"), program: filepath.Join(dir, "contivk8s")}
	h.writes(h.program, "the plugin")
	return h
}

func (h *host) starts() {
	ctx, end := context.WithCancel(h.Context())
	h.end, h.ended = end, make(chan error, 1)
	k := &Installer{Program: h.program, Bin: h.bin, Conf: h.conf, Interval: time.Millisecond, Log: slog.New(slog.DiscardHandler), Waiting: func() []string {
		if h.serves.Load() {
			return nil
		}
		return []string{"a netmaster"}
	}}
	go func() { h.ended <- k.Run(ctx) }()
}

func (h *host) ends() {
	h.Helper()
	h.end()
	if err := <-h.ended; err != nil {
		h.Error(err)
	}
}

func (h *host) writes(path, text string) {
	h.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		h.Fatal(err)
	}
}

// holds waits until a file holds a text; "" is no file.
func (h *host) holds(path, want string) {
	h.Helper()
	var text []byte
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		var err error
		text, err = os.ReadFile(path)
		if want == "" && errors.Is(err, fs.ErrNotExist) || want != "" && strings.Contains(string(text), want) {
			return
		}
	}
	h.Fatalf("%s: want %q, got %q", path, want, text)
}

func TestKeeper(t *testing.T) {
	h := newHost(t)
	plugin, conf := filepath.Join(h.bin, "contivk8s"), filepath.Join(h.conf, File)
	h.starts()
	h.holds(plugin, "the plugin")
	time.Sleep(20 * time.Millisecond)
	h.holds(conf, "") // nobody serves
	h.serves.Store(true)
	h.holds(conf, "contivk8s")

	h.serves.Store(false) // STATUS reports whether the agent serves; the configuration stays
	h.writes(conf, "another's")
	h.holds(conf, "contivk8s")
	if err := os.Remove(plugin); err != nil {
		t.Fatal(err)
	}
	h.holds(plugin, "the plugin")
	if info, err := os.Stat(plugin); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("want a program, got %v, %v", info.Mode(), err)
	}
	h.ends()
	h.holds(conf, "")
	h.holds(plugin, "the plugin")

	h.writes(h.program, "a newer plugin") // an upgrade, after an agent that was killed as it wrote
	left := filepath.Join(h.bin, ".contivk8s-12345")
	h.writes(left, "the pl")
	h.serves.Store(true)
	h.starts()
	h.holds(plugin, "a newer plugin")
	h.holds(conf, "contivk8s")
	h.holds(left, "")
	h.ends()
}

// The failure to create a directory is logged, and the creation is retried.
func TestKeeperWithoutFolder(t *testing.T) {
	h := newHost(t)
	h.serves.Store(true)
	above := filepath.Dir(h.conf)
	if err := os.MkdirAll(filepath.Dir(above), 0o755); err != nil {
		t.Fatal(err)
	}
	h.writes(above, "a file")
	h.starts()
	h.holds(filepath.Join(h.bin, "contivk8s"), "the plugin")
	if err := os.Remove(above); err != nil {
		t.Fatal(err)
	}
	h.holds(filepath.Join(h.conf, File), "contivk8s")
	h.ends()
}

// The CNI library reads the configuration.
func TestConf(t *testing.T) {
	text, err := Conf("contivk8s")
	if err != nil {
		t.Fatal(err)
	}
	got, err := libcni.ConfListFromBytes(text)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != Name || len(got.Plugins) != 1 || got.Plugins[0].Network.Type != "contivk8s" || !got.Plugins[0].Network.Capabilities["portMappings"] {
		again, _ := json.Marshal(got)
		t.Errorf("got %s", again)
	}
	if got.CNIVersion != "1.1.0" {
		t.Errorf("want the newest version that the library knows, got %s", got.CNIVersion)
	}
}
