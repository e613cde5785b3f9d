// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/flags"
)

// withProgram returns a host whose netmaster is a shell script.
func withProgram(t *testing.T, script string, files map[string]string) *Host {
	t.Helper()
	h := &Host{Root: t.TempDir(), Bin: t.TempDir()}
	if err := os.WriteFile(filepath.Join(h.Bin, Netmaster), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		if _, err := write(h.at(path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// The settings of a daemon are its variables, overridden by its files as its program reads them.
func TestSettings_Files(t *testing.T) {
	const answer = `echo '[{"key":"a","variable":"A","value":"file","origin":{"layer":"file","file":"/f","line":3}},
{"key":"b","variable":"B","value":["x","y"],"origin":{"layer":"conf.d"}},{"key":"c","variable":"C","value":"","origin":{"layer":"default"}}]'`
	variables := map[string]string{"/etc/contiv/host/netmaster.env": "A=init\nC=init\n", "/etc/contiv/netmaster.env": "C=own\n"}
	h := withProgram(t, answer, variables)
	if got := h.Settings(Netmaster); got["A"] != "init" || got["C"] != "own" || got["B"] != "" {
		t.Errorf("without files: got %v", got)
	}
	variables["/etc/contiv/netmaster.yaml"] = "a: file\n"
	h = withProgram(t, answer, variables)
	if got := h.Settings(Netmaster); got["A"] != "file" || got["B"] != "x,y" || got["C"] != "own" {
		t.Errorf("with files: got %v", got)
	}
	all, err := h.Configured(Netmaster)
	if err != nil || len(all) != 3 || all[0].Origin != (flags.Origin{Layer: flags.LayerFile, File: "/f", Line: 3}) {
		t.Errorf("got %+v, %v", all, err)
	}
	h = withProgram(t, "echo 'netmaster: f:1: wrong' >&2; echo more >&2; exit 22", variables)
	var wrong *ConfigError
	if _, err := h.Configured(Netmaster); !errors.As(err, &wrong) || !slices.Equal(wrong.Lines, []string{"f:1: wrong", "more"}) {
		t.Errorf("want both errors, got %v", err)
	}
	if got := h.Settings(Netmaster); got["A"] != "init" {
		t.Errorf("with errors: want the variables, got %v", got)
	}
	if _, err := h.Backup(); err == nil || !strings.Contains(err.Error(), "the configuration of netmaster: f:1: wrong") {
		t.Errorf("want the error of the files, got %v", err)
	}
	if _, err := h.Ask(t.Context(), Netplugin, "--check-config"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("want no program, got %v", err)
	}
}

// A program is asked in the environment of its unit, and with this host's directory.
func TestAsk(t *testing.T) {
	h := withProgram(t, `echo "$1 $CONTIV_NETMASTER_CONFIG_DIR $A <$CONTIV_NETMASTER_LOG_LEVEL>"`, map[string]string{"/etc/contiv/host/netmaster.env": "A=init\n"})
	t.Setenv("CONTIV_NETMASTER_LOG_LEVEL", "DEBUG")
	got, err := h.Ask(t.Context(), Netmaster, "--check-config")
	if want := "--check-config " + h.Root + "/etc/contiv init <>\n"; err != nil || string(got) != want {
		t.Errorf("want %q, got %q, %v", want, got, err)
	}
}

// Configuration files are the operator's: init and leave never write them, a daemon with other ones is restarted, and those of a host below another
// directory are found.
func TestConfigFiles(t *testing.T) {
	h := withProgram(t, "", map[string]string{"/etc/contiv/netmaster.yaml": "x: y\n", "/etc/contiv/conf.d/1.yaml": "netmaster: {}\n"})
	first, err := digest(h, Netmaster)
	if err != nil || len(h.ConfigFiles(Netmaster)) != 2 || len(h.ConfigFiles(Netplugin)) != 1 {
		t.Fatalf("got %v, %v, %v", h.ConfigFiles(Netmaster), h.ConfigFiles(Netplugin), err)
	}
	if _, err := write(h.ConfigFiles(Netmaster)[1], []byte("netmaster: {a: b}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if second, err := digest(h, Netmaster); err != nil || second == first {
		t.Errorf("want another digest, got %s, %v", second, err)
	}
	remains, err := (&Leave{Host: h}).remains(t.Context())
	for _, path := range []string{h.ConfigFile(Netmaster), h.at("/etc/contiv/conf.d")} {
		if err != nil || !strings.Contains(remains, "remains: "+path+": you wrote it") {
			t.Errorf("want %s, got %q, %v", path, remains, err)
		}
	}
	if dir := h.masterEnv(&Wish{}, model.StoreSettings{})["CONTIV_NETMASTER_CONFIG_DIR"]; dir != h.ConfigDir() {
		t.Errorf("want %s, got %q", h.ConfigDir(), dir)
	}
	if dir := (&Host{}).agentEnv(&Wish{}, nil)["CONTIV_NETPLUGIN_CONFIG_DIR"]; dir != "" {
		t.Errorf("the usual directory: got %q", dir)
	}
}
