// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/flags/flagstest"
	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/daemon/master/server"
)

var update = flag.Bool("update", false, "write the tables of docs/reference/netmaster.md and docs/reference/metrics.md")

// The page of netmaster has all settings of its files.
func TestSettingsPage(t *testing.T) {
	flagstest.Page(t, *update, "../../docs/reference/netmaster.md", func(args ...string) []byte {
		var out bytes.Buffer
		if _, err := parse(args, nil, &out); !errors.Is(err, flags.ErrHelp) {
			t.Fatal(err)
		}
		return out.Bytes()
	})
}

// The variables of the original are known, with values that it accepted.
func TestOriginalVariables(t *testing.T) {
	for name := range strings.FieldsSeq("CONSUL_ENDPOINTS ETCD_ENDPOINTS EXTERNAL_ADDRESS FORWARD_MODE INFRA INTERNAL_ADDRESS LOG_LEVEL MODE NET_MODE PLUGIN_NAME SYSLOG_URL USE_JSON_LOG USE_SYSLOG") {
		_, err := parse([]string{"--config-dir="}, flags.Env{"CONTIV_NETMASTER_" + name + "=1"}, io.Discard)
		if err != nil && strings.Contains(err.Error(), "unknown variable") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A configuration is checked as a whole, with the place of each wrong value, and nothing is started.
func TestCheckConfig(t *testing.T) {
	dir := t.TempDir()
	for _, row := range []struct {
		name, text string
		code       int
		out        string
		errs       []string
	}{
		{"valid", "mode: cni\nnetmode: vlan\nfwdmode: bridge\ninternal-address: 192.0.2.1:9999\nallowed-hosts: [api.example.org]\ninsecure: true\n", 0, "the configuration is valid\n", nil},
		{"two errors of values", "mode: x\nnetmode: vlan\nfwdmode: bridge\nhistory-age: 1s\n", 22, "", []string{"--mode x: it is one of", "(mode: DIR/netmaster.yaml:1)", "--history-age 1s: it is a duration of at least 1m (history-age: DIR/netmaster.yaml:4)"}},
		{"errors of the file", "mode: [a]\nnew-store: true\n", 22, "", []string{"DIR/netmaster.yaml:1: mode: got a list, want text", "DIR/netmaster.yaml:2: new-store: files do not have this setting: use the flag --new-store or the variable CONTIV_NETMASTER_NEW_STORE"}},
	} {
		if err := os.WriteFile(filepath.Join(dir, "netmaster.yaml"), []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"--config-dir", dir, "--check-config"}, nil, strings.NewReader(""), &out, &errs)
		if code != row.code || out.String() != row.out {
			t.Errorf("%s: want %d and %q, got %d, %q, %s", row.name, row.code, row.out, code, out.String(), &errs)
		}
		for _, want := range row.errs {
			if !strings.Contains(strings.ReplaceAll(errs.String(), dir, "DIR"), want) {
				t.Errorf("%s: want %q, got %s", row.name, want, &errs)
			}
		}
	}
}

// A reload changes limits, names and the log of a running netmaster.
func TestLive(t *testing.T) {
	dir := t.TempDir()
	put := func(more string) {
		t.Helper()
		text := "mode: cni\nnetmode: vlan\nfwdmode: bridge\nexternal-address: 127.0.0.1:0001\ninternal-address: 127.0.0.1:1\ninsecure: true\n" + more
		if err := os.WriteFile(filepath.Join(dir, "netmaster.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("")
	args := []string{"--config-dir", dir}
	c, err := parse(args, nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log, control, err := logging.NewControlled(c.Log, "test", &out, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := newDaemon(c, nil, nil, &logging.Recent{}, log)
	r := d.reloader(args, control)
	put("max-watches: 7\nallowed-hosts: [api.example.org]\nlog-level: DEBUG\nhistory-limit: 5\nmax-connections: 9\n")
	r.Reload()
	if d.gates["watches"].Max() != 7 || d.gates["captures"].Max() != server.DefaultCaptures || !d.names.Has("api.example.org") || !log.Enabled(t.Context(), slog.LevelDebug) {
		t.Errorf("got %d, %s", d.gates["watches"].Max(), &out)
	}
	for _, want := range []string{`"changed a setting" key=max-watches was=1024 is=7`, `"changed a setting" key=allowed-hosts`, `"changed a setting" key=max-connections`, `needs a restart" key=history-limit was=10000 is=5`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q, got %s", want, &out)
		}
	}
}
