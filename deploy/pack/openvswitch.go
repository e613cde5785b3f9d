// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/deploy/image"
)

// switchName is the name of the image with Open vSwitch.
const switchName = "contiv/openvswitch"

// switchPrograms are the content of the image with Open vSwitch, beside startovs. kmod loads modules if its name is modprobe.
func switchPrograms() map[string]string {
	return map[string]string{"ovsdb-server": "ovsdb-server", "ovs-vswitchd": "ovs-vswitchd", "ovsdb-tool": "ovsdb-tool", "ovsdb-client": "ovsdb-client",
		"ovs-vsctl": "ovs-vsctl", "ovs-ofctl": "ovs-ofctl", "ovs-appctl": "ovs-appctl", "ovs-dpctl": "ovs-dpctl", "modprobe": "kmod"}
}

// programDirs are the directories of programs in Debian's packages. That of ovs-vswitchd is named by an alternative, which only an installation makes.
func programDirs() []string {
	return []string{"/usr/lib/openvswitch-switch", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
}

// locate returns the paths of programs in a root file system.
func locate(root string, programs map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for name, program := range programs {
		for _, dir := range programDirs() {
			if _, err := os.Lstat(filepath.Join(root, dir, program)); err == nil && out[name] == "" {
				out[name] = filepath.Join(dir, program)
			}
		}
		if out[name] == "" {
			return nil, fmt.Errorf("%s: %s is in none of %v", root, program, programDirs())
		}
	}
	return out, nil
}

// switchContents is the image with Open vSwitch of a root file system, and startovs in bin.
func switchContents(bin, root, version string) (*image.Image, error) {
	programs, err := locate(root, switchPrograms())
	if err != nil {
		return nil, err
	}
	i, err := image.FromRoot(fmt.Sprintf("%s:%s", switchName, version), nil, root, programs)
	if err != nil {
		return nil, err
	}
	start := filepath.Join(bin, "startovs")
	if err := image.Static(start); err != nil {
		return nil, err
	}
	i.Links = map[string]string{"/var/run": "/run"} // where the programs look for sockets
	i.Entrypoint, i.Tags = []string{"/bin/startovs"}, []string{switchName + ":latest"}
	i.Files["/bin/startovs"] = start
	i.Files["/usr/share/openvswitch/vswitch.ovsschema"] = filepath.Join(root, "usr/share/openvswitch/vswitch.ovsschema")
	return i, nil
}

// packSwitch makes the archive of one image with Open vSwitch for each architecture that has a directory in roots and in bin.
func packSwitch(bin, roots, out, version string, created time.Time) error {
	if !tags.MatchString(version) {
		return errTag(version)
	}
	dirs, err := os.ReadDir(roots)
	if err != nil {
		return err
	}
	images, ref := map[string]*image.Image{}, ""
	for _, d := range dirs {
		i, err := switchContents(filepath.Join(bin, d.Name()), filepath.Join(roots, d.Name()), version)
		if err != nil {
			return err
		}
		images[d.Name()], ref = i, i.Ref
	}
	return write(out, func(w io.Writer) error { return image.WriteIndex(w, ref, created, images) })
}
