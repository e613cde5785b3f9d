// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/flags/flagstest"
)

var update = flag.Bool("update", false, "write the settings of docs/reference/netplugin.md")

// The page of netplugin has all settings of its files.
func TestSettingsPage(t *testing.T) {
	flagstest.Page(t, *update, "../../docs/reference/netplugin.md", func(args ...string) []byte {
		var out bytes.Buffer
		if _, err := parse(args, nil, &out); !errors.Is(err, flags.ErrHelp) {
			t.Fatal(err)
		}
		return out.Bytes()
	})
}

// The variables of the original are known, with values that it accepted.
func TestOriginalVariables(t *testing.T) {
	for name := range strings.FieldsSeq("CONSUL_ENDPOINTS CONTROL_IP ETCD_ENDPOINTS FORWARD_MODE HOST LOG_LEVEL MODE NET_MODE USE_JSON_LOG USE_SYSLOG VLAN_UPLINKS VTEP_IP VXLAN_PORT") {
		_, err := parse([]string{"--config-dir="}, flags.Env{"CONTIV_NETPLUGIN_" + name + "=1"}, io.Discard)
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
		{"valid", "netplugin:\n  mode: cni\n  netmode: vxlan\n  fwdmode: routing\n  ctrl-ip: 192.0.2.1\n  netmasters: [192.0.2.1:9999]\n", 0, "the configuration is valid\n", nil},
		{"errors", "netplugin:\n  mode: cni\n  netmode: vlan\n  fwdmode: routing\n  ctrl-ip: 192.0.2.1\n  netmasters: [x]\n", 22, "", []string{"--netmasters:", "(netmasters: DIR/conf.d/a.yaml:6)", "--vlan-uplinks is required"}},
		{"an unknown key", "netplugin:\n  uninstall: once\n  datapth: netdev\n", 22, "", []string{"a.yaml:2: uninstall: files do not have this setting", "a.yaml:3: unknown key datapth: did you mean datapath?"}},
	} {
		path := filepath.Join(dir, "conf.d", "a.yaml")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(row.text), 0o600)); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"--config-dir", dir, "--check-config"}, nil, &out, &errs)
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
