// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// netmaster --owner gives a user what netmaster writes, shares directories of others, and names what the user cannot read.
func TestOwner(t *testing.T) {
	root := t.TempDir()
	at := func(path string) string { return filepath.Join(root, path) }
	for _, file := range []string{"etc/trust/ca.key", "etc/cluster", "etc/netplugin.env", "etc/host/netmaster.env", "lib/store/member/wal", "lib/store.member", "lib/docker-networks", "secret/token"} {
		if err := os.MkdirAll(filepath.Dir(at(file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	give := func(user string, more ...string) (int, string) {
		var out, errs bytes.Buffer
		args := append([]string{"--mode", "docker", "--netmode", "vlan", "--fwdmode", "bridge", "--trust", at("etc/trust"), "--cluster-file", at("etc/cluster"),
			"--embedded-store", at("lib/store"), "--embedded-name", "h1", "--audit-file", at("lib/audit"), "--log-dir", at("lib/log"), "--owner", user, "--config-dir", at("etc")}, more...)
		code := run(context.Background(), args, nil, strings.NewReader(""), &out, &errs)
		return code, errs.String()
	}
	const daemon = 1 // the user "daemon" of every Debian
	for range 2 {
		if code, errs := give("daemon"); code != 0 {
			t.Fatalf("want exit 0, got %d and %q", code, errs)
		}
	}
	for path, want := range map[string]uint32{"etc/trust": daemon, "etc/trust/ca.key": daemon, "etc/cluster": daemon, "lib/store/member/wal": daemon, "lib/store.member": daemon, "lib/audit": daemon,
		"etc": 0, "etc/netplugin.env": 0, "lib": 0, "lib/docker-networks": 0} {
		info, err := os.Stat(at(path))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Sys().(*syscall.Stat_t).Uid; got != want {
			t.Errorf("%s: got user %d, want %d", path, got, want)
		}
		if shared := info.Mode()&os.ModeSticky != 0 && info.Mode().Perm() == 0o775; shared != (path == "etc" || path == "lib") {
			t.Errorf("%s: got mode %s", path, info.Mode())
		}
	}
	settings, err := os.Stat(at("etc/host/netmaster.env"))
	if err != nil || settings.Mode().Perm() != 0o640 || settings.Sys().(*syscall.Stat_t).Gid != daemon || settings.Sys().(*syscall.Stat_t).Uid != 0 {
		t.Errorf("settings of contiv init: want them readable by the user's group, got %+v, %v", settings, err)
	}
	if code, errs := give("daemon", "--audit-file", "", "--store-ca", at("secret/token")); code != 1 || !strings.Contains(errs, "chgrp daemon "+at("secret/token")) {
		t.Errorf("a file that the user cannot read: want the remedy, got %d and %q", code, errs)
	}
	if code, errs := give("nobody-at-all"); code != 1 || !strings.Contains(errs, "useradd") {
		t.Errorf("no such user: want the remedy, got %d and %q", code, errs)
	}
}
