// SPDX-License-Identifier: Apache-2.0

// Package image makes a container image of programs of this machine, with the libraries that they need, without a registry or an engine.
package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
)

// Image is the content of an image.
type Image struct {
	Ref        string            // "name:tag"
	Tags       []string          // further references to the same
	Entrypoint []string          // the command of a container, with Cmd as its arguments
	Cmd        []string          // the default arguments or command
	Files      map[string]string // files of this machine, by their paths in the image
	Links      map[string]string // targets of symbolic links, by their paths in the image
}

// New returns an image of programs. Each becomes /bin/NAME; the libraries of the dynamic ones keep their paths on this machine.
func New(ref string, cmd []string, programs map[string]string) (*Image, error) {
	return FromRoot(ref, cmd, "/", programs)
}

// FromRoot is New for programs of another root file system, such as that of another architecture: the directory root. Programs and libraries
// are named by their paths there.
func FromRoot(ref string, cmd []string, root string, programs map[string]string) (*Image, error) {
	out := &Image{Ref: ref, Cmd: cmd, Files: map[string]string{}}
	for name, file := range programs {
		there, err := within(root, file)
		if err != nil {
			return nil, err
		}
		out.Files["/bin/"+name] = there
		needed, err := libraries(root, there)
		if err != nil {
			return nil, err
		}
		maps.Copy(out.Files, needed)
	}
	return out, nil
}

// WriteTo writes the image as an archive of docker save, with one layer (OCI image specification, "Filesystem Layers"). It reads the
// files as they are then.
func (i *Image) WriteTo(w io.Writer) (int64, error) {
	layer, err := i.layer()
	if err != nil {
		return 0, err
	}
	config, err := json.Marshal(i.config(runtime.GOARCH, "2020-01-01T00:00:00Z", layer))
	if err != nil {
		return 0, err
	}
	manifest, err := json.Marshal([]map[string]any{{"Config": "config.json", "RepoTags": append([]string{i.Ref}, i.Tags...), "Layers": []string{"layer.tar"}}})
	if err != nil {
		return 0, err
	}
	var all bytes.Buffer
	archive := tar.NewWriter(&all)
	for _, f := range []struct {
		name string
		text []byte
	}{{"manifest.json", manifest}, {"config.json", config}, {"layer.tar", layer}} {
		if err := add(archive, f.name, 0o644, f.text); err != nil {
			return 0, err
		}
	}
	if err := archive.Close(); err != nil {
		return 0, err
	}
	return all.WriteTo(w)
}

// config is the image's configuration (OCI image specification, "Image Configuration").
func (i *Image) config(arch, created string, layer []byte) map[string]any {
	digest := sha256.Sum256(layer)
	return map[string]any{
		"architecture": arch, "os": "linux", "created": created,
		"config": map[string]any{"Entrypoint": i.Entrypoint, "Cmd": i.Cmd, "Env": []string{"PATH=/bin"}, "WorkingDir": "/"},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(digest[:])}},
	}
}

// directories are part of every image.
var directories = []string{"bin", "dev", "etc", "proc", "run", "sys", "tmp", "var", "var/run"}

// layer is the image's file system.
func (i *Image) layer() ([]byte, error) {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	made := map[string]struct{}{}
	for _, d := range directories {
		if _, link := i.Links["/"+d]; link {
			continue
		}
		if err := directory(archive, made, d); err != nil {
			return nil, err
		}
	}
	for _, at := range slices.Sorted(maps.Keys(i.Links)) {
		if err := link(archive, made, at[1:], i.Links[at]); err != nil {
			return nil, err
		}
	}
	for _, f := range []struct{ name, text string }{
		{"etc/passwd", "root:x:0:0:root:/:/bin/sh\n"}, {"etc/group", "root:x:0:\n"}, {"etc/nsswitch.conf", "hosts: files dns\n"},
	} {
		if err := add(archive, f.name, 0o644, []byte(f.text)); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.Files)) {
		text, err := os.ReadFile(i.Files[name])
		if err != nil {
			return nil, fmt.Errorf("image %s: %w", i.Ref, err)
		}
		inside := path.Clean(filepath.ToSlash(name))[1:]
		if err := directory(archive, made, path.Dir(inside)); err != nil {
			return nil, err
		}
		if err := add(archive, inside, 0o755, text); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// directory adds a directory and its parents, once.
func directory(archive *tar.Writer, made map[string]struct{}, name string) error {
	if _, ok := made[name]; ok || name == "." {
		return nil
	}
	if err := directory(archive, made, path.Dir(name)); err != nil {
		return err
	}
	made[name] = struct{}{}
	return archive.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755})
}

// link adds a symbolic link, and the directories that it is in.
func link(archive *tar.Writer, made map[string]struct{}, name, to string) error {
	if err := directory(archive, made, path.Dir(name)); err != nil {
		return err
	}
	return archive.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to, Mode: 0o777})
}

func add(archive *tar.Writer, name string, mode int64, text []byte) error {
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(text))}); err != nil {
		return err
	}
	_, err := archive.Write(text)
	return err
}
