// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
)

// sources writes what packages are made of, and returns the directories of programs and of other files.
func sources(t *testing.T) (bin, root string) {
	t.Helper()
	bin, root = t.TempDir(), t.TempDir()
	for _, p := range packages() {
		for name := range p.programs {
			if err := os.WriteFile(filepath.Join(bin, name), []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, pattern := range p.files {
			path := filepath.Join(root, strings.ReplaceAll(pattern, "*", "page"))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(pattern), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return bin, root
}

// license is a file with a license.
const license = "../LICENSE"

// The same programs give the same packages, which dpkg reads.
func TestPackages(t *testing.T) {
	bin, root := sources(t)
	var dirs [2]string
	for i := range dirs {
		dirs[i] = t.TempDir()
		b := &builder{bin: bin, root: root, license: license, version: "1.2.3~4", arch: "arm64", time: time.Unix(1767225600, 0).UTC()}
		if err := b.all(dirs[i]); err != nil {
			t.Fatal(err)
		}
	}
	first, err := os.ReadDir(dirs[0])
	if err != nil || len(first) != len(packages())*len(formats()) {
		t.Fatalf("got %v, %v, want each package in each format", first, err)
	}
	for _, f := range first {
		one, err := os.ReadFile(filepath.Join(dirs[0], f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if two, err := os.ReadFile(filepath.Join(dirs[1], f.Name())); err != nil || !bytes.Equal(one, two) {
			t.Errorf("%s: the second one differs (%v)", f.Name(), err)
		}
	}
	read := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("dpkg-deb", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("dpkg-deb %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	agent := filepath.Join(dirs[0], "contiv-netplugin_1.2.3~4_arm64.deb")
	if got := read("-f", agent, "Depends"); got != "openvswitch-switch (>= 2.13), contiv (= 1.2.3~4)\n" {
		t.Errorf("Depends: got %q", got)
	}
	content := read("-c", agent)
	for _, want := range []string{"-rwxr-xr-x root/root", " ./usr/sbin/netplugin\n", " ./usr/lib/systemd/system/contiv-netplugin.service\n", "2026-01-01 00:00 "} {
		if !strings.Contains(content, want) {
			t.Errorf("want %q in it, got %s", want, content)
		}
	}
	if err := (&builder{bin: t.TempDir(), root: root, license: license, version: "1", arch: "amd64"}).all(t.TempDir()); err == nil {
		t.Error("programs that are not there: want an error, got none")
	}
}

// Maintainer scripts are valid, and do nothing on a machine that is no host.
func TestScripts(t *testing.T) {
	for _, p := range packages() {
		if p.scripts == "" {
			continue
		}
		for _, name := range []string{"postinst", "prerm", "postrm"} {
			path, err := script(t.TempDir(), p.scripts+"-"+name+".sh")
			if err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("sh", "-n", path).CombinedOutput(); err != nil {
				t.Errorf("%s of %s: %v: %s", name, p.name, err, out)
			}
		}
	}
}

// A release has archives, parts, licenses, and checksums that are signed if there is a key.
func TestRelease(t *testing.T) {
	_, root := sources(t)
	bins, dir := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(bins, "amd64"), 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bins, "amd64", "netmaster")); err != nil {
		t.Fatal(err)
	}
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := minisign.EncryptKey("password", private)
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r := &release{bins: bins, root: root, plugin: root, chart: "../deploy/helm/contiv", license: license, version: "1.2.3", time: time.Unix(1767225600, 0).UTC(), key: key, secret: "password"}
	if err := r.all(dir); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	signature, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS.minisig"))
	if err != nil || !minisign.Verify(public, sums, signature) {
		t.Errorf("want a valid signature, got %q, %v", signature, err)
	}
	for _, name := range []string{"contiv-1.2.3-linux-amd64.tar.gz", "contiv-docker-plugin-1.2.3.tar.gz", "contiv-1.2.3.tgz", "LICENSES.txt", "netmaster-amd64.cdx.json"} {
		if !strings.Contains(string(sums), "  "+name+"\n") {
			t.Errorf("want %s in the checksums, got %s", name, sums)
		}
	}
	var parts struct {
		SerialNumber string
		Components   []struct{ Name, PURL string }
	}
	document, err := os.ReadFile(filepath.Join(dir, "netmaster-amd64.cdx.json"))
	if err == nil {
		err = json.Unmarshal(document, &parts)
	}
	if err != nil || !strings.HasPrefix(parts.SerialNumber, "urn:uuid:") || len(parts.SerialNumber) != len("urn:uuid:00000000-0000-0000-0000-000000000000") {
		t.Errorf("parts: %v: %.300s", err, document)
	}
	if !slices.ContainsFunc(parts.Components, func(c struct{ Name, PURL string }) bool {
		return c.Name == "aead.dev/minisign" && strings.HasPrefix(c.PURL, "pkg:golang/aead.dev/minisign@v")
	}) {
		t.Errorf("want the modules of the program, got %.500s", document)
	}
	licenses, err := os.ReadFile(filepath.Join(dir, "LICENSES.txt"))
	if err != nil || !strings.Contains(string(licenses), "==== aead.dev/minisign v") || !strings.Contains(string(licenses), "==== Go\n") {
		t.Errorf("licenses: %v: %.200s", err, licenses)
	}
	r.key, r.secret = key, "other"
	if err := r.sums(dir); err == nil || !strings.Contains(err.Error(), "MINISIGN_PASSWORD") {
		t.Errorf("a wrong password: got %v", err)
	}
}
