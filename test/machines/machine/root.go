// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// rootFiles are the machines' own files, by their paths in the root.
//
//go:embed root
var rootFiles embed.FS

// rootSize is the room of a machine's disk. Files without content take none.
const rootSize = "8G"

// rootPackages are what machines have installed: what Contiv needs on a host, what install-deps would install for the demo and the
// tests, and what tests look with.
const rootPackages = `systemd systemd-sysv udev dbus iproute2 iputils-ping openvswitch-switch nftables kmod procps e2fsprogs ca-certificates tcpdump
	ethtool openssh-server curl jq strace make git tmux frr slapd etcd-server etcd-client util-linux libpam-systemd xz-utils python3 rpm`

// rootSetup is run in the root. The services that the project starts by itself stay off; Open vSwitch runs, as on a host.
const rootSetup = `passwd -d root
systemctl enable machine-net.service ssh.service
systemctl disable frr.service slapd.service etcd.service
systemctl mask dev-tty0.device serial-getty@tty0.service getty@tty1.service apt-daily.timer apt-daily-upgrade.timer systemd-timesyncd.service
rm -f /etc/openvswitch/conf.db /etc/openvswitch/system-id.conf
: >/etc/machine-id
apt-get clean
`

func (c Cache) rootPath(r Release) string {
	parts := []string{r.Name, rootPackages, rootSetup, rootSize}
	if key, err := os.ReadFile(c.keyPath() + ".pub"); err == nil {
		parts = append(parts, string(key))
	}
	_ = fs.WalkDir(rootFiles, "root", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := rootFiles.ReadFile(path) // what is embedded can be read
			parts = append(parts, path, string(text))
		}
		return err
	})
	return filepath.Join(c.Dir, "root-"+r.Name+"-"+digest(parts...)+".img")
}

// makeRoot makes the image of a release's root file system: Debian's packages, the machines' own files and the key.
func (c Cache) makeRoot(ctx context.Context, r Release, path string) error {
	m, err := FindMirror()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(c.Dir, "root-"+r.Name+"-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	args := []string{"--variant=minbase", "--include=" + strings.Join(strings.Fields(rootPackages), ",")}
	if filepath.IsAbs(m.Keyring) {
		args = append(args, "--keyring="+m.Keyring)
	}
	if err := c.run(ctx, c.Dir, "debootstrap", append(args, r.Name, dir, m.Main)...); err != nil {
		return err
	}
	if err := c.addFiles(dir); err != nil {
		return err
	}
	setup := exec.CommandContext(ctx, "chroot", dir, "sh", "-c", rootSetup)
	if err := c.logged(setup); err != nil {
		return err
	}
	if err := c.run(ctx, c.Dir, "mke2fs", "-q", "-t", "ext4", "-d", dir, path+".new", rootSize); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// addFiles puts the machines' own files and the key into a root.
func (c Cache) addFiles(dir string) error {
	err := fs.WalkDir(rootFiles, "root", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := rootFiles.ReadFile(path)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(string(text), "#!") {
			mode = 0o755
		}
		return write(filepath.Join(dir, strings.TrimPrefix(path, "root")), text, mode)
	})
	if err != nil {
		return err
	}
	key, err := os.ReadFile(c.keyPath() + ".pub")
	if err != nil {
		return fmt.Errorf("the key of ssh: %w", err)
	}
	return write(filepath.Join(dir, "root/.ssh/authorized_keys"), key, 0o600)
}

// write writes a file and makes the directory that it is in.
func write(path string, text []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, mode)
}
