// SPDX-License-Identifier: Apache-2.0

// Command dist makes packages for distributions of built programs, deb and rpm, and what a release has beside them: the same bytes for the
// same programs and version.
//
//	dist -bin bin -root .cache/dist/root -version 0.9.0 -arch amd64 -date 1767225600 -o bin/dist
//	dist -release -bin .cache/dist/bin -root .cache/dist/root -version 0.9.0 -date 1767225600 -o bin/dist
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

func main() {
	bin := flag.String("bin", "bin", "directory of the programs; with -release, a directory with such a directory for each architecture")
	root := flag.String("root", "", "directory with the other files, as deploy/files writes them")
	version := flag.String("version", "", "version of the packages")
	arch := flag.String("arch", "amd64", "architecture of the programs, as Go names it")
	date := flag.Int64("date", 0, "time of all files, in seconds since 1970")
	license := flag.String("license", "LICENSE", "file with the license")
	whole := flag.Bool("release", false, "make archives, lists of parts, licenses and checksums beside packages and images")
	plugin := flag.String("plugin", "", "with -release: directory of the Docker plugin")
	chart := flag.String("chart", "", "with -release: directory of the Helm chart")
	key := flag.String("key", "", "with -release: file with the secret key of minisign, whose password is $MINISIGN_PASSWORD; empty: no signature")
	out := flag.String("o", "bin/dist", "output directory")
	flag.Parse()
	at := time.Unix(*date, 0).UTC()
	work := (&builder{bin: *bin, root: *root, license: *license, version: *version, arch: *arch, time: at}).all
	if *whole {
		work = (&release{bins: *bin, root: *root, plugin: *plugin, chart: *chart, license: *license, version: *version, time: at, key: *key, secret: os.Getenv("MINISIGN_PASSWORD")}).all
	}
	if err := work(*out); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// formats are the formats of packages.
func formats() []string { return []string{"deb", "rpm"} }

// all writes all packages in all formats into a directory.
func (b *builder) all(dir string) error {
	if b.version == "" || b.root == "" {
		return errors.New("want -version and -root")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range packages() {
		for _, format := range formats() {
			path, err := b.write(dir, format, &p)
			if err != nil {
				return fmt.Errorf("package %s.%s: %w", p.name, format, err)
			}
			fmt.Println(path)
		}
	}
	return nil
}

// write writes one package, and returns its path.
func (b *builder) write(dir, format string, p *pack) (path string, err error) {
	packager, err := nfpm.Get(format)
	if err != nil {
		return "", err
	}
	scripts, err := os.MkdirTemp("", "contiv-dist")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scripts)) }()
	info, err := b.info(format, p, scripts)
	if err != nil {
		return "", err
	}
	info = nfpm.WithDefaults(info)
	if err := info.Validate(); err != nil {
		return "", err
	}
	path = filepath.Join(dir, packager.ConventionalFileName(info))
	f, err := os.Create(path + ".new")
	if err != nil {
		return "", err
	}
	err = packager.Package(info, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return strings.TrimSuffix(f.Name(), ".new"), os.Rename(f.Name(), path)
}
