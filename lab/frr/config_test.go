// SPDX-License-Identifier: Apache-2.0

package frr

import (
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/agent/bgp"
)

// The configuration of bgpd, which bgpd itself accepts.
func TestText(t *testing.T) {
	four := bgp.Peer{Address: netip.MustParseAddr("50.1.1.1"), AS: 65001}
	six := bgp.Peer{Address: netip.MustParseAddr("fd50::2"), AS: 65002}
	both := Router{Config: bgp.Config{Address: netip.MustParsePrefix("50.1.1.200/24"), Address6: netip.MustParsePrefix("fd50::c8/64"), AS: 500, Peers: []bgp.Peer{four, six}},
		World: []netip.Prefix{netip.MustParsePrefix("20.1.1.0/24"), netip.MustParsePrefix("fd20::/64")}}
	one := both
	one.Config.Address6, one.Config.Peers, one.World = netip.Prefix{}, []bgp.Peer{four}, one.World[:1]
	extended := both
	extended.ExtendedNextHop = true
	for name, row := range map[string]struct {
		router Router
		want   []string
		not    string
	}{
		"both": {both, []string{"router bgp 500\n bgp router-id 50.1.1.200\n", "neighbor 50.1.1.1 remote-as 65001\n", "neighbor fd50::2 remote-as 65002\n",
			" address-family ipv4 unicast\n  network 20.1.1.0/24\n  neighbor 50.1.1.1 activate\n  neighbor fd50::2 activate\n  maximum-paths 16\n",
			" address-family ipv6 unicast\n  network fd20::/64\n"}, "extended-nexthop"},
		"IPv4":     {one, []string{"  network 20.1.1.0/24\n  neighbor 50.1.1.1 activate\n"}, "ipv6"},
		"extended": {extended, []string{"neighbor fd50::2 capability extended-nexthop\n"}, "50.1.1.1 capability"},
	} {
		text := row.router.text()
		for _, want := range row.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: want %q in\n%s", name, want, text)
			}
		}
		if strings.Contains(text, row.not) {
			t.Errorf("%s: want no %q in\n%s", name, row.not, text)
		}
		file := filepath.Join(t.TempDir(), "bgpd.conf")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		// It leaves a directory below /var/tmp.
		check := exec.Command("unshare", "--mount", "sh", "-c", `mount -t tmpfs none /var/tmp && exec "$0" --dryrun --skip_runas -f "$1"`,
			filepath.Join(programs, "bgpd"), file)
		if out, err := check.CombinedOutput(); err != nil || strings.Contains(string(out), "config line") { // it ends well in any case
			t.Errorf("%s: bgpd (apt-get install frr, or make deps) does not take it: %v: %s\n%s", name, err, out, text)
		}
	}
}
