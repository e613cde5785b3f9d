// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/contiv/contiv/daemon/store/embedded"
)

// inspect opens a body with a correct checksum, as the store would, and fills in the revision and the number of keys.
func (h *Header) inspect(path string) error {
	if h.Store == Consul {
		return inspectConsul(path)
	}
	has, err := embedded.Inspect(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	h.Revision, h.Keys = has.Revision, has.Keys
	return nil
}

// maxUnpacked bounds what an archive of Consul may unpack to, in bytes.
const maxUnpacked = 64 << 30

// inspectConsul reads an archive of Consul to its end.
func inspectConsul(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	bad := func(err error) error { return fmt.Errorf("%w: it is not a snapshot of Consul: %w", ErrDamaged, err) }
	in, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return bad(err)
	}
	archive := tar.NewReader(io.LimitReader(in, maxUnpacked))
	seen := map[string]bool{}
	for {
		file, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return bad(err)
		}
		if _, err := io.Copy(io.Discard, archive); err != nil {
			return bad(err)
		}
		seen[file.Name] = true
	}
	for _, name := range []string{"meta.json", "state.bin", "SHA256SUMS"} {
		if !seen[name] {
			return bad(fmt.Errorf("%s is missing", name))
		}
	}
	return nil
}

// Open reads the header of a file.
func Open(path string) (Info, error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	h, err := ReadHeader(bufio.NewReader(f))
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return Info{path, info.Size(), h}, err
}

// Verify reads a whole file, compares its sums, and opens the snapshot of the store in it as a restore would. It needs room for a copy of
// the body beside the file.
func Verify(path string) (Info, error) {
	out, body, err := Extract(path, filepath.Dir(path))
	if err != nil {
		return out, err
	}
	return out, os.Remove(body)
}

// Extract checks a file as Verify does, and writes its body, which the store's own tools accept, to a new file of a directory, for this
// account only. The caller removes it.
func Extract(path, dir string) (out Info, body string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return Info{}, "", err
	}
	to, err := os.CreateTemp(dir, working+"*")
	if err != nil {
		return Info{}, "", err
	}
	defer func() {
		if err != nil {
			discard(to)
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	in := bufio.NewReaderSize(f, 1<<20)
	h, err := ReadHeader(in)
	if err != nil {
		return Info{}, "", err
	}
	out = Info{path, info.Size(), h}
	if err := h.copyBody(to, in); err != nil {
		return out, "", err
	}
	if err := to.Close(); err != nil {
		return out, "", err
	}
	has := h
	if err := has.inspect(to.Name()); err != nil {
		return out, "", err
	}
	if has.Revision != h.Revision || has.Keys != h.Keys {
		return out, "", fmt.Errorf("%w: body: got revision %d and %d keys, want %d and %d as in the header", ErrDamaged, has.Revision, has.Keys, h.Revision, h.Keys)
	}
	return out, to.Name(), nil
}
