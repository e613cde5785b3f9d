// SPDX-License-Identifier: Apache-2.0

package vswitch

import (
	"io/fs"
	"path"
)

// DatabaseDir returns the directory of Open vSwitch's database, where packages of distributions have it; "" if it is elsewhere. root is the
// root of the file system.
func DatabaseDir(root fs.FS) string {
	for _, dir := range []string{"etc/openvswitch", "var/lib/openvswitch"} {
		if _, err := fs.Stat(root, path.Join(dir, "conf.db")); err == nil {
			return "/" + dir
		}
	}
	return ""
}
