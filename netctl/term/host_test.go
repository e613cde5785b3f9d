// SPDX-License-Identifier: Apache-2.0

package term

import (
	"os"
	"path/filepath"
	"testing"
)

// A host knows the netmasters of its cluster from what contiv init and contiv join have written, and the operator's file counts before
// that.
func TestHosts(t *testing.T) {
	const own, operators = "/etc/contiv/host/netplugin.env", "/etc/contiv/netplugin.env"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"part of no cluster": {nil, ""},
		"a host": {map[string]string{own: "# Written by contiv\nCONTIV_NETPLUGIN_HOST=h1\nCONTIV_NETPLUGIN_NETMASTERS=192.0.2.1:9999,[2001:db8::1]:9999\n"},
			"https://192.0.2.1:9999,https://[2001:db8::1]:9999"},
		"older settings":     {map[string]string{operators: "CONTIV_NETPLUGIN_NETMASTERS=192.0.2.1:9999\n"}, "https://192.0.2.1:9999"},
		"the operator's":     {map[string]string{own: "CONTIV_NETPLUGIN_NETMASTERS=192.0.2.1:9999\n", operators: "CONTIV_NETPLUGIN_NETMASTERS=\"http://192.0.2.2:9999\"\n"}, "http://192.0.2.2:9999"},
		"a file":             {map[string]string{own: "CONTIV_NETPLUGIN_NETMASTERS=192.0.2.1:9999\n", "/etc/contiv/netplugin.yaml": "netmasters: [192.0.2.2:9999, \"[2001:db8::1]:9999\"]\n"}, "https://192.0.2.2:9999,https://[2001:db8::1]:9999"},
		"conf.d":             {map[string]string{"/etc/contiv/netplugin.yaml": "netmasters: [192.0.2.2:9999]\n", "/etc/contiv/conf.d/1.yaml": "netplugin: {netmasters: [192.0.2.3:9999]}\nnetmaster: {}\n"}, "https://192.0.2.3:9999"},
		"variables above":    {map[string]string{operators: "CONTIV_NETPLUGIN_NETMASTERS=192.0.2.1:9999\n", "/etc/contiv/netplugin.yaml": "netmasters: [192.0.2.2:9999]\n"}, "https://192.0.2.1:9999"},
		"a file with errors": {map[string]string{own: "CONTIV_NETPLUGIN_NETMASTERS=192.0.2.1:9999\n", "/etc/contiv/netplugin.yaml": "netmasters: {\n"}, "https://192.0.2.1:9999"},
		"others of operator": {map[string]string{own: "CONTIV_NETPLUGIN_NETMASTERS=192.0.2.1:9999\n", operators: "CONTIV_NETPLUGIN_DATAPATH=netdev\n"}, "https://192.0.2.1:9999"},
	} {
		root := t.TempDir()
		for path, text := range c.files {
			full := filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := Hosts(root); got != c.want {
			t.Errorf("%s: want %q, got %q", name, c.want, got)
		}
	}
}
