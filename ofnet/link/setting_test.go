// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/checksum"
	"github.com/contiv/contiv/ofnet/link"
)

// Settings are noted before they are changed, and restored where they are still ours and no one else may need them.
func TestRestoreSettings(t *testing.T) {
	for _, row := range []struct {
		name    string
		then    []string // commands of ip and sysctl after the changes
		want    map[string]string
		stays   string // setting that stays; "": none
		because string
	}{
		{name: "still ours", want: map[string]string{"ipv4/ip_forward": "0", "ipv6/conf/all/forwarding": "0", "ipv6/conf/ra0/accept_ra": "1", "ipv4/conf/nic0/arp_ignore": "0"}},
		{name: "someone has set one since", then: []string{"sysctl -w net.ipv4.conf.nic0.arp_ignore=2"},
			want: map[string]string{"ipv4/conf/nic0/arp_ignore": "2", "ipv4/ip_forward": "0"}, stays: "net.ipv4.conf.nic0.arp_ignore", because: "someone has set it to 2 since"},
		{name: "a bridge of others", then: []string{"ip link add docker0 type bridge", "ip link set docker0 up"},
			want: map[string]string{"ipv4/ip_forward": "1", "ipv4/conf/nic0/arp_ignore": "0"}, stays: "net.ipv4.ip_forward", because: "docker0"},
		{name: "a bridge of others that is down", then: []string{"ip link add docker0 type bridge"}, want: map[string]string{"ipv4/ip_forward": "0"}},
		{name: "a tunnel of Open vSwitch", then: []string{"ip link add vxlan_sys_4789 type bridge", "ip link set vxlan_sys_4789 up"}, want: map[string]string{"ipv4/ip_forward": "0"}},
		{name: "an interface that is gone", then: []string{"ip link delete nic0"}, want: map[string]string{"ipv4/ip_forward": "0"}},
		{name: "restored by someone", then: []string{"sysctl -w net.ipv4.ip_forward=0"}, want: map[string]string{"ipv4/ip_forward": "0"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			h, ns := open(t)
			exec := func(command string) {
				t.Helper()
				if out, err := ns.Exec(strings.Fields(command)...); err != nil {
					t.Fatal(out, err)
				}
			}
			exec("ip link add nic0 type veth peer name nic1")
			exec("ip link add ra0 type veth peer name ra1")
			exec("ip addr add fd00::1/64 dev ra0 valid_lft 600 preferred_lft 600") // as of a router advertisement
			for _, nic := range []string{"nic0", "nic1"} {
				exec(fmt.Sprintf("ip link set %s group %d", nic, link.GroupLive)) // ours, so that forwarding is not needed by it
			}
			for _, setting := range []string{"net.ipv4.ip_forward=0", "net.ipv6.conf.all.forwarding=0", "net.ipv6.conf.ra0.accept_ra=1", "net.ipv4.conf.nic0.arp_ignore=0"} {
				exec("sysctl -w " + setting)
			}
			ledger := link.Ledger(filepath.Join(t.TempDir(), "settings"))
			h.KeepLedger(ledger)
			for range 2 { // the first value found counts
				for _, six := range []bool{false, true} {
					if _, err := h.EnableForwarding(six); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := h.LimitARP("nic0"); err != nil {
					t.Fatal(err)
				}
				exec("sysctl -w net.ipv4.conf.nic0.arp_ignore=0")
			}
			exec("sysctl -w net.ipv4.conf.nic0.arp_ignore=1")
			for _, command := range row.then {
				exec(command)
			}
			all, err := ledger.Settings()
			if err != nil {
				t.Fatal(err)
			}
			done, err := h.RestoreSettings(all)
			if err != nil {
				t.Fatal(err)
			}
			stays := ""
			for _, r := range done {
				if r.Stays != "" && r.Name() == row.stays {
					stays = r.Stays
				}
				if r.Stays != "" && row.stays == "" {
					t.Errorf("want all restored, but %s stays: %s", r.Name(), r.Stays)
				}
			}
			if !strings.Contains(stays, row.because) {
				t.Errorf("%s: want %q, got %q of %+v", row.stays, row.because, stays, done)
			}
			for file, want := range row.want {
				if out, err := ns.Exec("cat", "/proc/sys/net/"+file); err != nil || strings.TrimSpace(out) != want {
					t.Errorf("%s: want %s, got %s, %v", file, want, out, err)
				}
			}
		})
	}
}

// A ledger that a crash has cut, or that someone has written into, names settings of the network only.
func TestLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	text := `{"file":"/proc/sys/net/ipv4/ip_forward","was":"0","ours":"1"}
{"file":"/etc/passwd","was":"0","ours":"1"}
{"file":"/proc/sys/net/../kernel/panic","was":"0","ours":"1"}
{"file":"/proc/sys/net/ipv4/conf/v.7/arp_ignore","was":"0","ours":"1"}
{"file":"/proc/sys/net/ipv6/`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := link.Ledger(path).Settings()
	if err != nil || len(got) != 2 || got[0].Name() != "net.ipv4.ip_forward" || got[1].Name() != "net.ipv4.conf.v/7.arp_ignore" {
		t.Errorf("want two settings, got %+v, %v", got, err)
	}
	if got, err := link.Ledger(path + ".absent").Settings(); err != nil || got != nil {
		t.Errorf("want an absent ledger to have none, got %v, %v", got, err)
	}
}

// A ledger with a changed bit is used by no one. It is put aside when a setting is noted, and a new one begins.
func TestLedgerDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	l := link.Ledger(path)
	if err := link.Note(l, link.Setting{File: "/proc/sys/net/ipv4/ip_forward", Was: "0", Ours: "1"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := l.Settings(); err != nil || len(got) != 1 || got[0].Was != "0" {
		t.Fatalf("want the setting, got %+v, %v", got, err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(`"was":"0"`), []byte(`"was":"2"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Settings(); len(got) != 0 || !errors.Is(err, checksum.ErrDamaged) || l.Damaged() != "" {
		t.Errorf("damaged: want nothing of it, got %+v, %v", got, err)
	}
	if err := link.Note(l, link.Setting{File: "/proc/sys/net/ipv4/conf/all/arp_ignore", Was: "0", Ours: "1"}); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Settings(); err != nil || len(got) != 1 || l.Damaged() != path+".damaged" {
		t.Errorf("want a new ledger beside the damaged one, got %+v, %q, %v", got, l.Damaged(), err)
	}
	// The records of an earlier build stay.
	if err := os.WriteFile(path, []byte("{\"file\":\"/proc/sys/net/ipv4/ip_forward\",\"was\":\"0\",\"ours\":\"1\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := link.Note(l, link.Setting{File: "/proc/sys/net/ipv4/conf/all/arp_ignore", Was: "0", Ours: "1"}); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Settings(); err != nil || len(got) != 2 {
		t.Errorf("want both settings, got %+v, %v", got, err)
	}
}

func FuzzLedger(f *testing.F) {
	f.Add([]byte(`{"file":"/proc/sys/net/ipv4/ip_forward","was":"0","ours":"1"}`))
	path := filepath.Join(f.TempDir(), "settings")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := link.Ledger(path).Settings()
		if err != nil && !errors.Is(err, checksum.ErrDamaged) && !errors.Is(err, checksum.ErrFormat) {
			t.Fatal(err)
		}
		for _, s := range got {
			if !strings.HasPrefix(filepath.Clean(s.File), "/proc/sys/net/") {
				t.Errorf("%q names %s", text, s.File)
			}
		}
	})
}
