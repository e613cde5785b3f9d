// SPDX-License-Identifier: Apache-2.0

package vswitch

import (
	"testing"
	"testing/fstest"
)

func TestDatabaseDir(t *testing.T) {
	for file, want := range map[string]string{"etc/openvswitch/conf.db": "/etc/openvswitch", "var/lib/openvswitch/conf.db": "/var/lib/openvswitch", "srv/conf.db": ""} {
		if got := DatabaseDir(fstest.MapFS{file: &fstest.MapFile{}}); got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}
