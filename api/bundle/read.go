// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Bounds of a bundle: larger ones are refused before they use memory.
const (
	MaxFile  = 256 << 20 // bytes of a file
	MaxBytes = 2 << 30   // of all files
	MaxFiles = 100_000
)

// Bundle is a bundle that was read completely.
type Bundle struct {
	Manifest Manifest
	files    map[string][]byte
}

// Read reads an untrusted bundle: one that is no bundle, is truncated, or exceeds the bounds, is an error.
func Read(r io.Reader) (*Bundle, error) {
	b := &Bundle{files: map[string][]byte{}}
	m, err := Scan(r, func(name string, size int64, content io.Reader) error {
		text, err := io.ReadAll(content)
		b.files[name] = text
		return err
	})
	if err != nil {
		return nil, err
	}
	b.Manifest = *m
	return b, nil
}

// Scan calls visit for each file of a bundle as it is read, and returns the manifest, which comes last. Errors are as those of Read.
func Scan(r io.Reader, visit func(name string, size int64, content io.Reader) error) (*Manifest, error) {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return nil, noBundle(err)
	}
	in := tar.NewReader(zip)
	var m *Manifest
	seen, bytes := map[string]struct{}{}, int64(0)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, noBundle(err)
		}
		name, err := nameOf(h)
		if err != nil {
			return nil, err
		}
		bytes += h.Size
		if _, again := seen[name]; again || len(seen) >= MaxFiles || bytes > MaxBytes {
			return nil, fmt.Errorf("the support bundle is not readable: %s is there twice, or it has more than %d files or %d MiB", name, MaxFiles, MaxBytes>>20)
		}
		seen[name] = struct{}{}
		if name != ManifestName {
			if err := visit(name, h.Size, in); err != nil {
				return nil, noBundle(err)
			}
			continue
		}
		if m, err = manifest(in); err != nil {
			return nil, err
		}
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(zip, MaxFile)); err != nil { // its checksum
		return nil, noBundle(err)
	}
	if m == nil {
		return nil, fmt.Errorf("the support bundle is not whole: %s is missing, which is written last; create another one", ManifestName)
	}
	return m, m.check(seen)
}

// nameOf returns the name of an entry, which must be a plain file below the root and small enough.
func nameOf(h *tar.Header) (string, error) {
	name, within := strings.CutPrefix(h.Name, root)
	switch {
	case h.Typeflag != tar.TypeReg || !within || !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00"):
		return "", fmt.Errorf("it is not a support bundle: %.200q is not a file below %s", h.Name, root)
	case h.Size < 0 || h.Size > MaxFile:
		return "", fmt.Errorf("the support bundle is not readable: %.200q has %d MiB, and a file may have %d", h.Name, h.Size>>20, MaxFile>>20)
	}
	return name, nil
}

func manifest(r io.Reader) (*Manifest, error) {
	m := new(Manifest)
	if err := json.NewDecoder(r).Decode(m); err != nil {
		return nil, noBundle(fmt.Errorf("%s: %w", ManifestName, err))
	}
	if m.Format < 1 || m.Format > Format {
		return nil, fmt.Errorf("the support bundle has format %d, and this build reads formats 1 to %d: use programs of version %.80q or later", m.Format, Format, m.Version.Version)
	}
	return m, nil
}

// check compares the manifest with the names of the files.
func (m *Manifest) check(seen map[string]struct{}) error {
	for _, f := range m.Files {
		if _, ok := seen[f.Name]; !ok {
			return fmt.Errorf("the support bundle is not whole: %.200q is missing", f.Name)
		}
	}
	if len(m.Files) != len(seen)-1 {
		return fmt.Errorf("the support bundle has %d files, and its manifest lists %d: it was changed", len(seen)-1, len(m.Files))
	}
	return nil
}

func noBundle(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("the support bundle is truncated: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("it is not a support bundle: %w", err)
}

// File returns the content of a file; ok is false if there is none. The caller must not change it.
func (b *Bundle) File(name string) (content []byte, ok bool) {
	content, ok = b.files[name]
	return content, ok
}

// Names returns the names of the files below a directory, which ends with a slash, in order.
func (b *Bundle) Names(dir string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(b.files)), func(n string) bool { return !strings.HasPrefix(n, dir) })
}

// Gaps explains why a file that a bundle could contain is missing.
func (m *Manifest) Gaps(of, file string) string {
	for i := range m.Missing {
		if x := &m.Missing[i]; x.Of == of && (x.What == file || x.What == "") {
			return x.Why
		}
	}
	return "it was not requested"
}
