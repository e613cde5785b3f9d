// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// Each operation of the stand does what it says.
func TestStand(t *testing.T) {
	hosts := boot(t, 2, machine.Spec{Memory: 1000, Disks: 1})
	a, b := hosts[0], hosts[1]
	for _, m := range hosts {
		if got := run(t, m, "hostname; cat /etc/machine-id; cat /sys/class/net/eth0/address"); got != m.Name+"\n"+m.ID()+"\n"+m.MAC(1) {
			t.Errorf("%s: name, machine id and MAC address: %s", m.Name, got)
		}
		if got := run(t, m, "uname -r; grep VERSION_CODENAME /etc/os-release"); !strings.HasPrefix(got, m.Spec.Parts.Release.Kernel+".") ||
			!strings.HasSuffix(got, "="+m.Spec.Parts.Release.Name) {
			t.Errorf("%s: kernel and release: %s, want %s", m.Name, got, m.Spec.Parts.Release)
		}
		if got := run(t, m, "systemctl --failed --no-legend"); got != "" {
			t.Errorf("%s: units failed: %s", m.Name, got)
		}
		run(t, m, "ovs-vsctl add-br probe -- set bridge probe datapath_type=system && ovs-appctl dpif/show | grep -q system@ && ovs-vsctl del-br probe")
	}
	if _, err := a.Run(t.Context(), "echo why >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "why") {
		t.Errorf("a command that fails: %v, want what it printed", err)
	}
	t.Run("copy", func(t *testing.T) { copies(t, a) })
	t.Run("links", func(t *testing.T) { links(t, a, b) })
	t.Run("power", func(t *testing.T) { power(t, a) })
	t.Run("disks", func(t *testing.T) { disks(t, b) })
}

func copies(t *testing.T, m *machine.Machine) {
	from, back := filepath.Join(t.TempDir(), "it's"), filepath.Join(t.TempDir(), "back")
	if err := os.WriteFile(from, []byte("#!/bin/sh\necho ran\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := m.Put(t.Context(), from, "/root/it's"); err != nil {
		t.Fatal(err)
	}
	if got := run(t, m, `"/root/it's"`); got != "ran" {
		t.Errorf("the program that was copied prints %q", got)
	}
	if err := m.Get(t.Context(), "/root/it's", back); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(back); string(got) != "#!/bin/sh\necho ran\n" {
		t.Errorf("the file that was copied back is %q", got)
	}
	// Segments larger than the MTU, which the bridge may not hand on, would stall a large file.
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, bytes.Repeat([]byte("0123456789abcde\n"), 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := m.Put(t.Context(), large, "/root/large"); err != nil {
		t.Fatal(err)
	}
	if got := run(t, m, "stat -c %s /root/large"); got != fmt.Sprint(32<<20) {
		t.Errorf("the large file that was copied has %s bytes", got)
	}
	if err := m.Get(t.Context(), "/nowhere", back); err == nil {
		t.Error("a file that is not there was copied")
	}
}

func links(t *testing.T, a, b *machine.Machine) {
	ping := "ping -c 1 -W 2 " + b.Address()
	run(t, a, ping)
	if err := b.CutLink(t.Context(), "eth0"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context(), ping); err == nil {
		t.Error("a ping passes a link that is cut")
	}
	run(t, b, "true") // commands have a link of their own
	if err := b.RestoreLink(t.Context(), "eth0"); err != nil {
		t.Fatal(err)
	}
	run(t, a, "ping -c 10 -i 0.5 -W 2 "+b.Address())
	if err := b.CutLink(t.Context(), "eth7"); err == nil {
		t.Error("a link that is not there was cut")
	}
}

func power(t *testing.T, m *machine.Machine) {
	run(t, m, "echo kept >/root/kept && sync")
	boots := "cat /proc/sys/kernel/random/boot_id"
	first := run(t, m, boots)
	if err := m.CutPower(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(t.Context(), "true"); err == nil || m.On() {
		t.Error("without power the machine takes commands")
	}
	if err := m.Boot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := run(t, m, "cat /root/kept"); got != "kept" {
		t.Errorf("what was on the disk is %q", got)
	}
	second := run(t, m, boots)
	run(t, m, "echo shut >/root/shut") // not synced: a shutdown writes it
	if err := m.Reboot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := run(t, m, "cat /root/shut"); got != "shut" {
		t.Errorf("after a reboot the file is %q", got)
	}
	if third := run(t, m, boots); first == second || second == third {
		t.Errorf("boots %s, %s, %s: want three", first, second, third)
	}
}

func disks(t *testing.T, m *machine.Machine) {
	run(t, m, "echo root >/root/mine && mkfs.ext4 -q /dev/ubdb && mount /dev/ubdb /mnt && echo data >/mnt/mine && sync")
	if err := m.LoseDisk(1); err == nil {
		t.Error("a machine that is on lost a disk")
	}
	for _, row := range []struct {
		lost       int
		root, data bool
	}{{1, true, false}, {0, false, false}} {
		if err := m.CutPower(); err != nil {
			t.Fatal(err)
		}
		if err := m.LoseDisk(row.lost); err != nil {
			t.Fatal(err)
		}
		if err := m.Boot(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, root := m.Run(t.Context(), "cat /root/mine")
		_, data := m.Run(t.Context(), "blkid /dev/ubdb")
		if got, want := fmt.Sprint(root == nil, data == nil), fmt.Sprint(row.root, row.data); got != want {
			t.Errorf("disk %d lost: the root's file and the other disk's file system are there: %s, want %s", row.lost, got, want)
		}
	}
	if got := run(t, m, "cat /etc/machine-id"); got != m.ID() {
		t.Errorf("machine id after the disk was lost: %s, want %s", got, m.ID())
	}
}
