// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aead.dev/minisign"
)

// release makes what a release has beside packages and images: archives, lists of parts, licenses, checksums and their signature.
type release struct {
	bins    string // directory with a directory of programs for each architecture
	root    string
	plugin  string // directory of the Docker plugin; "": none
	chart   string // directory of the Helm chart; "": none
	license string
	version string
	time    time.Time
	key     string // file with the secret key of minisign; "": no signature
	secret  string // its password
}

// all writes everything into a directory, in which packages and images already are.
func (r *release) all(dir string) error {
	arches, err := os.ReadDir(r.bins)
	if err != nil {
		return err
	}
	var programs []string
	for _, a := range arches {
		found, err := filepath.Glob(filepath.Join(r.bins, a.Name(), "*"))
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(path string) bool { info, err := os.Stat(path); return err != nil || info.IsDir() })
		programs = append(programs, found...)
		if err := r.archive(dir, a.Name(), found); err != nil {
			return err
		}
		for _, program := range found {
			if err := r.parts(filepath.Join(dir, fmt.Sprintf("%s-%s.cdx.json", filepath.Base(program), a.Name())), program); err != nil {
				return err
			}
		}
	}
	if r.plugin != "" {
		if err := r.pluginArchive(dir); err != nil {
			return err
		}
	}
	if r.chart != "" {
		if err := r.chartArchive(dir); err != nil {
			return err
		}
	}
	if err := r.licenses(filepath.Join(dir, "LICENSES.txt"), programs); err != nil {
		return err
	}
	return r.sums(dir)
}

// archive writes the programs and the other files of one architecture.
func (r *release) archive(dir, arch string, programs []string) error {
	top := fmt.Sprintf("contiv-%s-linux-%s", r.version, arch)
	return r.packed(filepath.Join(dir, top+".tar.gz"), func(w *tar.Writer) error {
		for _, program := range programs {
			if err := r.file(w, program, top+"/bin/"+filepath.Base(program), 0o755); err != nil {
				return err
			}
		}
		if err := r.file(w, r.license, top+"/LICENSE", 0o644); err != nil {
			return err
		}
		return r.tree(w, r.root, top+"/root")
	})
}

// pluginArchive writes the directory that docker plugin create takes.
func (r *release) pluginArchive(dir string) error {
	return r.packed(filepath.Join(dir, fmt.Sprintf("contiv-docker-plugin-%s.tar.gz", r.version)), func(w *tar.Writer) error { return r.tree(w, r.plugin, "docker-plugin") })
}

// chartArchive writes the Helm chart, as helm package names it.
func (r *release) chartArchive(dir string) error {
	return r.packed(filepath.Join(dir, fmt.Sprintf("contiv-%s.tgz", r.version)), func(w *tar.Writer) error { return r.tree(w, r.chart, "contiv") })
}

// packed writes a compressed archive.
func (r *release) packed(path string, content func(*tar.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	return errors.Join(content(w), w.Close(), z.Close())
}

// tree adds a directory with its content, in the order of names.
func (r *release) tree(w *tar.Writer, dir, to string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		at := filepath.Join(to, inside)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: at + "/", Mode: 0o755, ModTime: r.time})
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: at, Linkname: target, Mode: 0o777, ModTime: r.time})
		case d.Type().IsRegular():
			return r.file(w, path, at, int64(info.Mode().Perm()))
		}
		return fmt.Errorf("%s: got %s, want a file, a directory or a symbolic link", path, d.Type())
	})
}

// file adds a file, which belongs to root.
func (r *release) file(w *tar.Writer, from, to string, mode int64) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: to, Mode: mode, Size: int64(len(text)), ModTime: r.time}); err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// sums writes the checksums of all files of a directory, in the format of sha256sum, and signs them if there is a key.
func (r *release) sums(dir string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	const list = "SHA256SUMS"
	var text bytes.Buffer
	for _, n := range names {
		if n.IsDir() || strings.HasPrefix(n.Name(), list) {
			continue
		}
		digest, err := sumOf(filepath.Join(dir, n.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", digest, n.Name())
	}
	path := filepath.Join(dir, list)
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		return err
	}
	if r.key == "" {
		fmt.Println(path + " is not signed: MINISIGN_KEY names no secret key")
		return nil
	}
	key, err := minisign.PrivateKeyFromFile(r.secret, r.key)
	if err != nil {
		return fmt.Errorf("key %s (its password is $MINISIGN_PASSWORD): %w", r.key, err)
	}
	signature := minisign.SignWithComments(key, text.Bytes(), "Contiv "+r.version, "signature of "+list)
	return os.WriteFile(path+".minisig", signature, 0o644)
}

// sumOf returns the SHA-256 of a file.
func sumOf(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, err
	}
	return sum.Sum(nil), nil
}
