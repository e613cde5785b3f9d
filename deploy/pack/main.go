// SPDX-License-Identifier: Apache-2.0

// Command pack makes the container image of built programs that deploy/kubernetes runs, without an engine: an archive in the format of
// docker save, for ctr images import, podman load and docker load.
//
//	go run ./deploy/pack -bin bin -o bin/contiv-images.tar
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/deploy/image"
)

func main() {
	bin := flag.String("bin", "bin", "directory of the programs")
	out := flag.String("o", "bin/contiv-images.tar", "archive to be made; one that is there is replaced")
	version := flag.String("version", build.Info().Version, "version of the programs, which is the image's tag")
	index := flag.Bool("index", false, "make one image for several architectures: -bin has a directory of programs for each, such as amd64")
	date := flag.Int64("date", 0, "with -index: time of the image, in seconds since 1970")
	roots := flag.String("openvswitch", "", "make the image with Open vSwitch: directory with a root file system for each architecture, as scripts/openvswitch-root makes it")
	flag.Parse()
	if *roots != "" {
		if err := packSwitch(*bin, *roots, *out, *version, time.Unix(*date, 0)); err != nil {
			fmt.Fprintln(os.Stderr, "pack:", err)
			os.Exit(1)
		}
		return
	}
	if *index {
		if err := packIndex(*bin, *out, *version, time.Unix(*date, 0)); err != nil {
			fmt.Fprintln(os.Stderr, "pack:", err)
			os.Exit(1)
		}
		return
	}
	i, err := pack(*bin, *out, *version)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
	fmt.Printf("%s is in %s\n", i.Ref, *out)
}

// name is the image's name.
const name = "contiv/contiv"

// programs are the content of the image.
func programs() []string { return []string{"netmaster", "netplugin", "contivk8s", "netctl", "contiv"} }

// tags are the valid tags (OCI distribution specification, "Pulling manifests").
var tags = regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$`)

// errTag refuses a version that is no tag of an image.
func errTag(version string) error {
	return fmt.Errorf("version %q is no tag of an image: want letters, digits, dots, dashes and underscores; VERSION=... names another", version)
}

// pack makes the archive of the programs in bin.
func pack(bin, out, version string) (*image.Image, error) {
	if !tags.MatchString(version) {
		return nil, errTag(version)
	}
	i, err := contents(bin, version)
	if err != nil {
		return nil, err
	}
	return i, write(out, func(w io.Writer) error { _, err := i.WriteTo(w); return err })
}

// contents is the image of the programs in bin.
func contents(bin, version string) (*image.Image, error) {
	// Runtimes name network namespaces by /var/run, and the programs name the host's files by /run: they must be one, as on a host.
	i := &image.Image{Ref: name + ":" + version, Tags: []string{name + ":latest"}, Files: map[string]string{}, Links: map[string]string{"/var/run": "/run"}}
	for _, p := range programs() {
		file := filepath.Join(bin, p)
		if err := image.Static(file); err != nil {
			return nil, err
		}
		i.Files["/bin/"+p] = file
	}
	return i, nil
}

// packIndex makes the archive of one image for each architecture that has a directory in bin.
func packIndex(bin, out, version string, created time.Time) error {
	dirs, err := os.ReadDir(bin)
	if err != nil {
		return err
	}
	images, ref := map[string]*image.Image{}, ""
	for _, d := range dirs {
		i, err := contents(filepath.Join(bin, d.Name()), version)
		if err != nil {
			return err
		}
		images[d.Name()], ref = i, i.Ref
	}
	return write(out, func(w io.Writer) error { return image.WriteIndex(w, ref, created, images) })
}

// write writes the archive at once, or leaves an existing one unchanged.
func write(file string, content func(io.Writer) error) error {
	f, err := os.Create(file + ".new")
	if err != nil {
		return err
	}
	if err = errors.Join(content(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), file)
}
