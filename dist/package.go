// SPDX-License-Identifier: Apache-2.0

package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/files"
)

// pack describes a package.
type pack struct {
	name, about string
	programs    map[string]string   // directories on a host, by names of programs
	files       []string            // patterns of other files, below the root
	depends     map[string][]string // by format
	recommends  map[string][]string
	same        []string // packages of the same version that it needs
	scripts     string   // prefix of its maintainer scripts; "": it has none
}

// packages are the packages.
func packages() []pack {
	return []pack{
		{name: "contiv", about: "commands that make machines hosts of a cluster, console, and netctl",
			programs: map[string]string{"contiv": "/usr/bin", "netctl": "/usr/bin"},
			files:    []string{"/usr/share/man/man1/*", "/usr/share/bash-completion/completions/*", "/usr/share/zsh/vendor-completions/*", "/usr/share/fish/vendor_completions.d/*"}},
		{name: "contiv-netmaster", about: "master of a cluster's container networks",
			programs: map[string]string{"netmaster": "/usr/sbin"}, scripts: "netmaster", same: []string{"contiv"},
			files:   []string{"/usr/lib/systemd/system/contiv-netmaster.service", "/usr/lib/sysusers.d/contiv.conf", "/usr/share/man/man8/netmaster.8.gz"},
			depends: map[string][]string{"deb": {"systemd"}, "rpm": {"systemd"}}},
		{name: "contiv-netplugin", about: "agent of a host's container networks",
			programs: map[string]string{"netplugin": "/usr/sbin"}, scripts: "netplugin", same: []string{"contiv"},
			files:      []string{"/usr/lib/systemd/system/contiv-netplugin.service", "/usr/share/man/man8/netplugin.8.gz"},
			depends:    map[string][]string{"deb": {"openvswitch-switch (>= 2.13)"}, "rpm": {"openvswitch >= 2.13"}},
			recommends: map[string][]string{"deb": {"contiv-cni"}, "rpm": {"contiv-cni"}}},
		{name: "contiv-cni", about: "CNI plugins, which connect containers to the agent of their host",
			programs: map[string]string{"contivk8s": "/usr/lib/cni", "netcontiv": "/usr/lib/cni"}, // scripts link them into /opt, where packages have no files
			scripts:  "cni"},
	}
}

// builder makes packages of the programs of one architecture.
type builder struct {
	bin, root, license string
	version, arch      string
	time               time.Time // of all files
}

//go:embed scripts
var scripts embed.FS

// head begins each maintainer script.
const head = "#!/bin/sh\nset -e\n"

// info returns a package as nfpm takes it. It writes the maintainer scripts into a directory.
func (b *builder) info(format string, p *pack, dir string) (*nfpm.Info, error) {
	info := &nfpm.Info{Name: p.name, Arch: b.arch, Platform: "linux", Version: b.version, VersionSchema: "none", Section: "net", Priority: "optional",
		Maintainer: "The Contiv authors <contiv@invalid>", Vendor: "Contiv", Homepage: "https://github.com/contiv", License: "Apache-2.0",
		Description: "Contiv: " + p.about + "\nMulti-tenant, policy-driven networking for containers over Open vSwitch.", MTime: b.time, DisableGlobbing: true}
	info.RPM.BuildHost, info.RPM.Summary = "localhost", "Contiv: "+p.about
	info.Depends, info.Recommends = append(info.Depends, p.depends[format]...), p.recommends[format]
	for _, name := range p.same {
		if format == "deb" {
			info.Depends = append(info.Depends, fmt.Sprintf("%s (= %s)", name, b.version))
		} else {
			info.Depends = append(info.Depends, fmt.Sprintf("%s = %s", name, b.version))
		}
	}
	contents, err := b.contents(p)
	if err != nil {
		return nil, err
	}
	if format == "rpm" {
		contents = append(contents, b.directories(contents)...)
	}
	info.Contents = contents
	if p.scripts == "" {
		return info, nil
	}
	for name, to := range map[string]*string{"postinst": &info.Scripts.PostInstall, "prerm": &info.Scripts.PreRemove, "postrm": &info.Scripts.PostRemove} {
		if *to, err = script(dir, p.scripts+"-"+name+".sh"); err != nil {
			return nil, err
		}
	}
	return info, nil
}

// foreign are the directories that belong to the distribution: a removal of the last package of ours leaves them.
func foreign() []string {
	return []string{"/", "/usr", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib/systemd", "/usr/lib/systemd/system", "/usr/lib/sysusers.d", "/usr/share",
		"/usr/share/doc", "/usr/share/man", "/usr/share/man/man1", "/usr/share/man/man8", "/usr/share/bash-completion", "/usr/share/bash-completion/completions", "/usr/share/zsh"}
}

// directories are the directories of files, other than those of the distribution. rpm removes only directories that a package has, and
// several may have the same.
func (b *builder) directories(of files.Contents) (out files.Contents) {
	known := map[string]bool{}
	for _, dir := range foreign() {
		known[dir] = true
	}
	for _, f := range of {
		for dir := filepath.Dir(f.Destination); !known[dir]; dir = filepath.Dir(dir) {
			known[dir] = true
			out = append(out, &files.Content{Destination: dir, Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: b.time, Owner: "root", Group: "root"}})
		}
	}
	return out
}

// script writes a maintainer script with what all have in common, and returns its path.
func script(dir, name string) (string, error) {
	common, err := scripts.ReadFile("scripts/common.sh")
	if err != nil {
		return "", err
	}
	own, err := scripts.ReadFile("scripts/" + name)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, []byte(head+string(common)+"\n"+string(own)), 0o755)
}

// contents returns the files of a package.
func (b *builder) contents(p *pack) (out files.Contents, err error) {
	add := func(from, to string, mode fs.FileMode) {
		out = append(out, &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: b.time, Owner: "root", Group: "root"}})
	}
	for name, dir := range p.programs {
		add(filepath.Join(b.bin, name), filepath.Join(dir, name), 0o755)
	}
	for _, pattern := range p.files {
		found, err := filepath.Glob(filepath.Join(b.root, pattern))
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%s: got no file below %s", pattern, b.root)
		}
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			inside, err := filepath.Rel(b.root, path)
			if err != nil {
				return nil, err
			}
			add(path, "/"+inside, 0o644)
		}
	}
	add(b.license, "/usr/share/doc/"+p.name+"/copyright", 0o644)
	return out, nil
}
