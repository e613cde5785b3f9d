// Command pack makes the container image of built programs that deploy/kubernetes runs, without an engine: an archive in the format of
// docker save, for ctr images import, podman load and docker load.
//
//	go run ./deploy/pack -bin bin -o bin/contiv-images.tar
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/deploy/image"
)

func main() {
	bin := flag.String("bin", "bin", "directory of the programs")
	out := flag.String("o", "bin/contiv-images.tar", "archive to be made; one that is there is replaced")
	version := flag.String("version", build.Info().Version, "version of the programs, which is the image's tag")
	flag.Parse()
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

// pack makes the archive of the programs in bin.
func pack(bin, out, version string) (*image.Image, error) {
	if !tags.MatchString(version) {
		return nil, fmt.Errorf("version %q is no tag of an image: want letters, digits, dots, dashes and underscores; VERSION=... names another", version)
	}
	// Runtimes name network namespaces by /var/run, and the programs name the host's files by /run: they must be one, as on a host.
	i := &image.Image{Ref: name + ":" + version, Tags: []string{name + ":latest"}, Files: map[string]string{}, Links: map[string]string{"/var/run": "/run"}}
	for _, p := range programs() {
		file := filepath.Join(bin, p)
		if err := image.Static(file); err != nil {
			return nil, err
		}
		i.Files["/bin/"+p] = file
	}
	return i, write(i, out)
}

// write writes the archive at once, or leaves an existing one unchanged.
func write(i *image.Image, file string) error {
	f, err := os.Create(file + ".new")
	if err != nil {
		return err
	}
	_, err = i.WriteTo(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), file)
}
