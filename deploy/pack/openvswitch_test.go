// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// unpacked unpacks the only compressed layer of an archive of images.
func unpacked(t *testing.T, archive, root string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, text := range entries(t, f) {
		z, err := gzip.NewReader(strings.NewReader(text))
		if err != nil {
			continue // not a layer
		}
		for r := tar.NewReader(z); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			path := filepath.Join(root, h.Name)
			switch h.Typeflag {
			case tar.TypeDir:
				err = os.MkdirAll(path, 0o755)
			case tar.TypeSymlink:
				err = os.Symlink(h.Linkname, path)
			default:
				var text []byte
				if text, err = io.ReadAll(r); err == nil {
					err = os.WriteFile(path, text, os.FileMode(h.Mode))
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Fatalf("%s has no layer", archive)
}

// The image with Open vSwitch has all that its database and its switch need, and no shell.
func TestPackSwitch(t *testing.T) {
	bin, roots, root := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(bin, runtime.GOARCH), 0o755); err != nil {
		t.Fatal(err)
	}
	compile(t, filepath.Join(bin, runtime.GOARCH, "startovs"), "github.com/contiv/contiv/deploy/openvswitch")
	if err := os.Symlink("/", filepath.Join(roots, runtime.GOARCH)); err != nil { // this machine has Open vSwitch
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "switch.tar")
	if err := packSwitch(bin, roots, out, "v9", time.Unix(1767225600, 0)); err != nil {
		t.Fatal(err)
	}
	unpacked(t, out, root)
	if err := os.WriteFile(filepath.Join(root, "etc/machine-id"), []byte("0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"dev", "proc"} { // as a runtime mounts them
		if err := syscall.Mount("/"+dir, filepath.Join(root, dir), "", syscall.MS_BIND, ""); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(filepath.Join(root, dir), syscall.MNT_DETACH) })
	}
	run := func(args ...string) *exec.Cmd {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env, cmd.Dir = []string{"PATH=/bin"}, "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
		return cmd
	}
	for _, part := range [][]string{{"/bin/startovs", "database"}, {"/bin/startovs", "switch", "--", "--disable-system"}} {
		cmd := run(part...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
	text, err := run("/bin/ovs-vsctl", "--retry", "--timeout=30", "add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev").CombinedOutput()
	if err != nil {
		t.Fatalf("add a bridge: %v: %s", err, text)
	}
	if text, err = run("/bin/ovs-ofctl", "dump-flows", "br0").CombinedOutput(); err != nil || !strings.Contains(string(text), "actions=NORMAL") {
		t.Errorf("flows of the bridge: got %s, %v, want its first one", text, err)
	}
	if _, err := os.Stat(filepath.Join(root, "bin/sh")); err == nil {
		t.Error("the image has a shell")
	}
}

func TestPackSwitch_Missing(t *testing.T) {
	roots := t.TempDir()
	if err := os.Mkdir(filepath.Join(roots, "amd64"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := packSwitch(t.TempDir(), roots, filepath.Join(t.TempDir(), "out"), "v9", time.Time{}); err == nil || !strings.Contains(err.Error(), "is in none of") {
		t.Errorf("a root without Open vSwitch: got %v, want what is missing", err)
	}
	if err := packSwitch(t.TempDir(), roots, filepath.Join(t.TempDir(), "out"), "v/9", time.Time{}); err == nil || !strings.Contains(err.Error(), "is no tag") {
		t.Errorf("version v/9: got %v, want a refusal", err)
	}
}
