// SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/agent/cniconf"
	"github.com/contiv/contiv/daemon/agent/registration"
	"github.com/contiv/contiv/daemon/agent/uninstall"
	"github.com/contiv/contiv/daemon/agent/vswitch"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovstest"
)

// An uninstall removes everything that an agent and a remaining pod have left on a host, and nothing else. It is refused while the agent
// runs.
func TestUninstall(t *testing.T) {
	s := newSite(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "contivk8s")
	h := &uninstall.Host{Bridge: vswitch.Bridge, OVSRunDir: s.ovs.Dir, Namespace: "/run/netns/" + s.ovs.NetNS,
		Conf: filepath.Join(dir, "net.d"), Bin: filepath.Join(dir, "bin"), Program: "contivk8s",
		Sockets: []string{s.socket}, Further: []string{filepath.Join(dir, "store")}, Limits: vswitch.LimitsFile(s.ovs.Dir), Log: slog.New(slog.DiscardHandler)}
	s.edit = func(c *config) {
		c.CNI.Program, c.CNI.Bin, c.CNI.Conf, c.CNI.Stays = program, h.Bin, h.Conf, true
	}
	for _, folder := range []string{h.Conf, h.Further[0]} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	another := filepath.Join(h.Conf, "20-another.conflist")
	for _, file := range []string{program, another, filepath.Join(h.Further[0], "data")} {
		if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	nameControl(t, s.ovs)
	before := s.ovs.IP("-o", "link")
	s.start()
	s.add("left", "1.0.0", "")
	conf := filepath.Join(h.Conf, cniconf.File)
	s.eventually("the configuration of CNI", func() string {
		if _, err := os.Stat(conf); err != nil {
			return err.Error()
		}
		return ""
	})
	if _, err := h.Run(s.ctx); err == nil || !strings.Contains(err.Error(), registration.ErrTaken.Error()) {
		t.Errorf("while the agent works: got %v", err)
	}
	s.eventually("the limits of the tenant's zone", func() string {
		if all, err := h.Limits.Limits(); err != nil || len(all) != 1 {
			return fmt.Sprint(all, err)
		}
		return ""
	})
	s.stop()
	if _, err := os.Stat(conf); err != nil {
		t.Errorf("the configuration does not stay: %v", err)
	}
	s.tables(true)
	for range 2 { // the second time there is nothing
		done, err := h.Run(s.ctx)
		if err != nil || len(done.Remains) > 0 {
			t.Fatalf("want nothing to remain, got %v, %v", done.Remains, err)
		}
	}
	if out := s.ovs.Vsctl("list", "Datapath"); strings.TrimSpace(out) != "" {
		t.Errorf("rows of table Datapath are left: %s", out)
	}
	s.tables(false)
	if out := s.ovs.Vsctl("list-br"); strings.TrimSpace(out) != "" {
		t.Errorf("bridges are left: %s", out)
	}
	s.eventually("the interfaces", func() string { // which Open vSwitch removes a moment after the bridge
		if after := s.ovs.IP("-o", "link"); len(strings.Split(after, "\n")) > len(strings.Split(before, "\n"))+1 { // ovs-netdev, of Open vSwitch
			return fmt.Sprintf("they were\n%s\nand are\n%s", before, after)
		}
		return ""
	})
	for _, file := range []string{conf, filepath.Join(h.Bin, "contivk8s"), filepath.Dir(s.socket), h.Further[0], filepath.Join(s.ovs.Dir, vswitch.Bridge+".agent"), string(h.Limits)} {
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s is left", file)
		}
	}
	if _, err := os.Stat(another); err != nil {
		t.Errorf("another's configuration: %v", err)
	}
}

// nameControl puts the control socket of ovs-vswitchd at the path where an agent expects it.
func nameControl(t *testing.T, ovs *ovstest.OVS) {
	t.Helper()
	if err := errors.Join(os.WriteFile(filepath.Join(ovs.Dir, "ovs-vswitchd.pid"), []byte("1\n"), 0o644), os.Symlink("vswitchd.ctl", filepath.Join(ovs.Dir, "ovs-vswitchd.1.ctl"))); err != nil {
		t.Fatal(err)
	}
}

// An uninstall removes the limits that the agent has set in a switch which still runs for others, and leaves the limits of others. If the
// switch does not run, the ledger stays.
func TestUninstallLimits(t *testing.T) {
	ovs := ovstest.Start(t)
	ovs.Bridge(vswitch.Bridge)
	ovs.Bridge("br-other")
	datapath := ovs.Datapath() + "@ovs-" + ovs.Datapath()
	c := ovs.Control()
	c.Do("dpctl/ct-set-limits", datapath, "zone=1,limit=7", "zone=900,limit=5")
	h := &uninstall.Host{Bridge: vswitch.Bridge, OVSRunDir: ovs.Dir, Namespace: "/run/netns/" + ovs.NetNS, Limits: vswitch.LimitsFile(ovs.Dir), Log: slog.New(slog.DiscardHandler)}
	if err := os.WriteFile(string(h.Limits), fmt.Appendf(nil, `{%q:{"1":7,"32769":3}}`, datapath), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := h.Run(t.Context())
	if _, gone := os.Stat(string(h.Limits)); err != nil || gone != nil || len(done.Remains) == 0 || !strings.Contains(done.Remains[0].What, "connection tracker") {
		t.Errorf("ovs-vswitchd cannot be asked: want limits to remain and the ledger to stay, got %v, %v, %v", done, err, gone)
	}
	nameControl(t, ovs)
	if _, err := h.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if out := c.Do("dpctl/ct-get-limits", datapath); !strings.Contains(out, "zone=900,limit=5") || strings.Count(out, "zone=") != 1 {
		t.Errorf("want another's limit only, got %s", out)
	}
	if _, err := os.Stat(string(h.Limits)); err == nil {
		t.Error("the ledger is left")
	}
	if ovs.Datapath() == "system" { // limits outlast the switch
		c.Do("dpctl/ct-del-limits", datapath, "zone=900")
	}
}

// tables checks whether the nftables tables of a guard and a translation exist as expected; if they should, it first creates one of each
// kind.
func (s *site) tables(wanted bool) {
	s.tb.Helper()
	links, err := link.Open("/run/netns/" + s.ovs.NetNS)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer links.Close()
	if wanted {
		for _, private := range []string{"172.19.0.0/16", "fd00::/112"} {
			if err := links.Masquerade(netip.MustParsePrefix(private), true); err != nil {
				s.tb.Fatal(err)
			}
		}
		if err := links.SetGuard(&link.Guard{}); err != nil {
			s.tb.Fatal(err)
		}
	}
	out, err := exec.Command("ip", "netns", "exec", s.ovs.NetNS, "nft", "list", "tables").CombinedOutput()
	if found := strings.Contains(string(out), "contiv"); err != nil || found != wanted {
		s.tb.Errorf("tables of contiv are there: %v (%v), want %v: %s", found, err, wanted, out)
	}
}
