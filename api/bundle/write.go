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
	"time"
)

// Writer writes a bundle. Its methods are for one goroutine.
type Writer struct {
	zip   *gzip.Writer
	tar   *tar.Writer
	made  time.Time
	files []File
	bytes int64
}

// NewWriter returns a Writer to w of a bundle that was started at a time.
func NewWriter(w io.Writer, made time.Time) *Writer {
	zip := gzip.NewWriter(w)
	return &Writer{zip: zip, tar: tar.NewWriter(zip), made: made}
}

// ErrFull means that a file would make the bundle too large to be read.
var ErrFull = errors.New("the bundle is full")

// Add writes a file, whose source is from. A file that is too large, or one too many, is not written: the error wraps ErrFull.
func (w *Writer) Add(name, from string, content []byte) error {
	if !fs.ValidPath(name) || name == ManifestName {
		return fmt.Errorf("%q cannot be the name of a file of a bundle", name)
	}
	size := int64(len(content))
	switch {
	case size > MaxFile:
		return fmt.Errorf("%s has %d MiB, and a file may have %d: %w", name, size>>20, MaxFile>>20, ErrFull)
	case w.bytes+size > MaxBytes-MaxFile || len(w.files) >= MaxFiles-1: // the manifest comes last
		return fmt.Errorf("%s is too much in addition to %d files of %d MiB: %w", name, len(w.files), w.bytes>>20, ErrFull)
	}
	if err := w.add(name, content); err != nil {
		return err
	}
	w.files = append(w.files, File{Name: name, Bytes: size, From: from})
	w.bytes += size
	return nil
}

func (w *Writer) add(name string, content []byte) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: root + name, Size: int64(len(content)), Mode: 0o600, ModTime: w.made.Truncate(time.Second)}
	if err := w.tar.WriteHeader(h); err != nil {
		return err
	}
	_, err := w.tar.Write(content)
	return err
}

// Close writes the manifest, into which it puts the format, the time and the files, and ends the bundle.
func (w *Writer) Close(m Manifest) error {
	m.Format, m.Made, m.Files = Format, w.made.UTC(), w.files
	text, err := json.MarshalIndent(&m, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(w.add(ManifestName, append(text, '\n')), w.tar.Close(), w.zip.Close())
}
