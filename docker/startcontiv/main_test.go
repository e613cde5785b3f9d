// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/flags"
)

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// directory has shell scripts as programs.
func folder(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// await waits until a file has a text.
func await(t *testing.T, file, text string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		got, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(got), text) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: want %q, got %q, %v", file, text, got, err)
		}
	}
}

func TestSettings(t *testing.T) {
	rows := []struct {
		name string
		env  map[string]string
		want settings
		err  string
	}{
		{"nothing", nil, settings{"netplugin", "/var/log/contiv", false}, ""},
		{"all", map[string]string{"CONTIV_ROLE": "netmaster", "CONTIV_LOG_DIR": "/x", agentSocketVariable: "/y"}, settings{"netmaster", "/x", true}, ""},
		{"role", map[string]string{"CONTIV_ROLE": "both"}, settings{}, "CONTIV_ROLE both"},
		{"directory", map[string]string{"CONTIV_LOG_DIR": "log"}, settings{}, `CONTIV_LOG_DIR: got "log"`},
	}
	for _, r := range rows {
		got, err := read(func(name string) string { return r.env[name] })
		switch {
		case r.err != "" && (err == nil || !strings.Contains(err.Error(), r.err)):
			t.Errorf("%s: want error %q, got %v", r.name, r.err, err)
		case r.err == "" && (err != nil || *got != r.want):
			t.Errorf("%s: want %v, got %v, %v", r.name, r.want, got, err)
		}
	}
	var errs buffer
	code := run(t.Context(), func(string) string { return "none" }, "/bin", &errs)
	if code != flags.ExitConfig || !strings.Contains(errs.String(), "CONTIV_ROLE") {
		t.Errorf("a wrong role: want exit code 22 and its name, got %d, %s", code, errs.String())
	}
}

// The plugin runs the programs, keeps what they print, and ends the agent before the netmaster, and the door last.
func TestPlugin(t *testing.T) {
	serve := `echo "$0 $* serves"; trap 'echo ended >>"$CONTIV_LOG_DIR/order.log"; echo "$0 $*" >>"$CONTIV_LOG_DIR/order.log"; exit 0' TERM
while :; do sleep 0.05; done`
	bin, dir := folder(t, map[string]string{"netplugin": serve, "netmaster": serve}), t.TempDir()
	t.Setenv("CONTIV_LOG_DIR", dir)
	t.Setenv("CONTIV_ROLE", "netmaster")
	t.Setenv(agentSocketVariable, "/agent.sock")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	var errs buffer
	go func() { ended <- run(ctx, os.Getenv, bin, &errs) }()
	await(t, filepath.Join(dir, "netplugin.log"), "netplugin  serves")
	await(t, filepath.Join(dir, "netmaster.log"), "netmaster  serves")
	await(t, filepath.Join(dir, "docker-door.log"), "netplugin --docker-door serves")
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("want exit code 0, got %d: %s", code, errs.String())
	}
	order, err := os.ReadFile(filepath.Join(dir, "order.log"))
	if err != nil {
		t.Fatal(err)
	}
	want := "ended\n" + bin + "/netplugin \nended\n" + bin + "/netmaster \nended\n" + bin + "/netplugin --docker-door\n"
	if string(order) != want {
		t.Errorf("want in order\n%s\ngot\n%s", want, order)
	}
	await(t, filepath.Join(dir, "plugin_bootup.log"), "the plugin has ended")
}
