// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/contiv/contiv/deploy/image"
)

// links are symbolic links of the plugin's file system, by which the programs find the content of the host's directories at their usual
// paths.
func links() map[string]string {
	return map[string]string{
		"etc/contiv":       hostEtc + "/contiv",
		"etc/machine-id":   hostEtc + "/machine-id",
		"etc/ssl":          hostEtc + "/ssl",
		"etc/pki":          hostEtc + "/pki",
		"run/contiv":       "/var/run/contiv",
		"run/docker.sock":  "/var/run/docker.sock",
		"run/docker/netns": "/var/run/docker/netns",
		"run/netns":        "/var/run/netns",
		"run/openvswitch":  "/var/run/openvswitch",
		"run/lock":         "/var/run/lock",
	}
}

// directories are those needed by mounts and by the programs.
func directories() []string {
	return []string{"bin", "dev", "etc", "host/etc", "proc", "run/docker/plugins", "sys", "tmp", "var/lib/contiv", "var/log", "var/run"}
}

// makeRootfs makes the plugin's file system of the programs in bin.
func makeRootfs(root, bin string) error {
	for _, dir := range directories() {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	all := links()
	for _, at := range slices.Sorted(maps.Keys(all)) {
		if err := os.Symlink(all[at], filepath.Join(root, at)); err != nil {
			return err
		}
	}
	for _, name := range programs() {
		if err := install(filepath.Join(bin, name), filepath.Join(root, "bin", name)); err != nil {
			return fmt.Errorf("program of the plugin: %w", err)
		}
	}
	return nil
}

// install copies a program, which must need no library: the image has none.
func install(from, to string) error {
	if err := image.Static(from); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
