// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// looks are what a machine is compared by before contiv init and after contiv leave. They omit values that change by themselves.
var looks = []struct{ name, shell string }{
	{"interfaces", "ls /sys/class/net"},
	{"addresses", "ip -o address | awk '{print $2, $3, $4}' | sort"},
	{"routes", "ip route; ip -6 route | grep -v ^fe80 | sort; ip rule"},
	{"nftables", "nft list ruleset"},
	{"kernel settings", "sysctl -a 2>/dev/null | grep '^net[.]' | grep -v -e rss_key -e fastopen_key -e stable_secret -e nf_conntrack_count -e ip_local_reserved -e 'neigh[.]default' | sort"},
	{"Open vSwitch", "ovs-vsctl show | tail -n +2; ovs-vsctl list Datapath; ovs-vsctl --columns=external_ids,other_config list Bridge; ovs-appctl dpctl/dump-dps"},
	{"files", "for d in /etc/contiv /var/lib/contiv /run/contiv /run/openvswitch/contiv* /etc/cni /opt/cni /var/lib/cni /var/log/contiv; do find $d ! -name lost+found 2>/dev/null; done | sort"},
	{"units", "systemctl list-unit-files --no-legend 'contiv*'; systemctl list-units --all --no-legend --plain 'contiv*'"},
	{"processes", "ps -eo args | grep -E '^/.*(netmaster|netplugin)' | grep -v grep"},
}

// state is a machine as Contiv could change it, a line a thing.
func state(t *testing.T, m *machine.Machine) string {
	t.Helper()
	var out strings.Builder
	for _, look := range looks {
		text, _ := m.Run(t.Context(), look.shell) // grep that finds nothing is an error
		for line := range strings.Lines(text) {
			out.WriteString(look.name + ": " + strings.TrimSpace(line) + "\n")
		}
	}
	return out.String()
}

// differences are the lines that only one of two texts has, with a sign.
func differences(before, after string) (out []string) {
	was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
	for _, line := range was {
		if !slices.Contains(is, line) {
			out = append(out, "- "+line)
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			out = append(out, "+ "+line)
		}
	}
	return out
}
