// SPDX-License-Identifier: Apache-2.0

package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"golang.org/x/mod/module"
)

// parts writes the modules that are linked into a program as a CycloneDX document.
func (r *release) parts(path, program string) (err error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	digest, err := sumOf(program)
	if err != nil {
		return err
	}
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = serial(digest)
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &cyclonedx.Component{
		BOMRef: filepath.Base(program), Type: cyclonedx.ComponentTypeApplication, Name: filepath.Base(program), Version: r.version,
		Hashes: &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: fmt.Sprintf("%x", digest)}}}}
	components := []cyclonedx.Component{{BOMRef: "pkg:golang/std@" + info.GoVersion, Type: cyclonedx.ComponentTypeLibrary, Name: "std", Version: info.GoVersion, PackageURL: "pkg:golang/std@" + info.GoVersion}}
	for _, m := range linked(info) {
		at := "pkg:golang/" + m.Path + "@" + m.Version
		components = append(components, cyclonedx.Component{BOMRef: at, Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: at})
	}
	bom.Components = &components
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return cyclonedx.NewBOMEncoder(f, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}

// serial returns a UUID that follows from a digest, of version 8 (RFC 9562).
func serial(digest []byte) string {
	id := slices.Clone(digest[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// linked returns the modules of a program, ordered by their paths.
func linked(info *debug.BuildInfo) (out []debug.Module) {
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b debug.Module) int { return strings.Compare(a.Path+"@"+a.Version, b.Path+"@"+b.Version) })
	return out
}

// licenseFiles matches the names of files with a license or with what a license demands to be passed on.
var licenseFiles = regexp.MustCompile(`(?i)^(un)?licen[cs]e|^copying|^notice`)

// licenses writes the licenses of all modules that are linked into programs, and that of Go. A module without one is an error.
func (r *release) licenses(path string, programs []string) error {
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	dirs := strings.Fields(string(out))
	if len(dirs) != 2 {
		return fmt.Errorf("go env: got %q, want two directories", out)
	}
	from := map[string]string{"Go": dirs[1]}
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return err
		}
		for _, m := range linked(info) {
			escaped, err := module.EscapePath(m.Path)
			if err != nil {
				return err
			}
			version, err := module.EscapeVersion(m.Version)
			if err != nil {
				return err
			}
			from[m.Path+" "+m.Version] = filepath.Join(dirs[0], escaped+"@"+version)
		}
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(from)) {
		found, err := licensesIn(from[name])
		if err != nil {
			return fmt.Errorf("license of %s: %w", name, err)
		}
		fmt.Fprintf(&text, "==== %s\n\n%s\n", name, found)
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// licensesIn returns the text of the files of a directory that have a license.
func licensesIn(dir string) (string, error) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, n := range names {
		if n.IsDir() || !licenseFiles.MatchString(n.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, n.Name()))
		if err != nil {
			return "", err
		}
		out.Write(text)
		out.WriteString("\n")
	}
	if out.Len() == 0 {
		return "", fmt.Errorf("got no file in %s, want one named LICENSE, COPYING or NOTICE", dir)
	}
	return out.String(), nil
}
