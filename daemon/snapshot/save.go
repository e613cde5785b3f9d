// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/fileowner"
)

// Source is a store that can export snapshots.
type Source interface {
	// Snapshot returns the whole content of the store, in the format of its own tools.
	Snapshot(ctx context.Context) (io.ReadCloser, error)
	// Read reads a key.
	Read(ctx context.Context, key string) (store.Item, error)
}

// Info is a snapshot in a file.
type Info struct {
	Path string
	Size int64 // of the file, in bytes
	Header
}

// Suffix is the suffix of the names of snapshot files.
const Suffix = ".contiv-snapshot"

// Prefixes of the names: of snapshots that netmaster saves, of which it removes the oldest, and of those that an operator saves.
const (
	Scheduled = "scheduled-"
	ByHand    = "saved-"
)

// Save saves a snapshot of a store in a directory, which it creates, under a name with a prefix. h has the part of the header that does
// not follow from the store. The file is for this account only. It gets its name once it is written and verified; after an error there is
// none. Save blocks until then, or ctx ends.
func Save(ctx context.Context, from Source, dir, begins string, h Header) (Info, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Info{}, err
	}
	sweep(dir)
	body, err := os.CreateTemp(dir, working+"*")
	if err != nil {
		return Info{}, err
	}
	defer discard(body)
	if err := h.write(ctx, from, body); err != nil {
		return Info{}, err
	}
	name := fmt.Sprintf("%s%s-r%d%s", begins, h.Created.UTC().Format("20060102T150405Z"), h.Revision, Suffix)
	return h.keep(body, filepath.Join(dir, name))
}

// working is the prefix of files that are being written.
const working = ".working-"

// sweep removes files that killed processes were writing more than a day ago.
func sweep(dir string) {
	old, _ := filepath.Glob(filepath.Join(dir, working+"*")) // the pattern is a valid one
	for _, path := range old {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(path)
		}
	}
}

// discard closes and removes a file that is not kept.
func discard(f *os.File) {
	_ = f.Close()
	_ = os.Remove(f.Name())
}

// write writes the body, and fills in what follows from the store and the body.
func (h *Header) write(ctx context.Context, from Source, to *os.File) error {
	item, err := from.Read(ctx, record.IncarnationKey)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return err
	default:
		now, err := record.ParseIncarnation(item.Value)
		if err != nil {
			return fmt.Errorf("incarnation of the store: %w", err)
		}
		h.Incarnation, h.Revision = &now, uint64(item.Revision)
	}
	in, err := from.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	sum := sha256.New()
	if h.Size, err = io.Copy(io.MultiWriter(to, sum), in); err != nil {
		return fmt.Errorf("read the snapshot of the store: %w", err)
	}
	h.Format, h.SHA256 = format, sumOf(sum)
	h.Created = cmp.Or(h.Created, time.Now()).UTC().Truncate(time.Second)
	return h.inspect(to.Name())
}

// keep writes the file and renames it.
func (h *Header) keep(body *os.File, path string) (Info, error) {
	out, err := os.CreateTemp(filepath.Dir(path), working+"*")
	if err != nil {
		return Info{}, err
	}
	defer discard(out)
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return Info{}, err
	}
	to := bufio.NewWriterSize(out, 1<<20)
	if err := writeHeader(to, h); err != nil {
		return Info{}, err
	}
	if err := h.copyBody(to, body); err != nil {
		return Info{}, err
	}
	if err := errors.Join(to.Flush(), fileowner.Keep(out, path), out.Sync()); err != nil {
		return Info{}, err
	}
	// Verify what the file system returns.
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return Info{}, err
	}
	in := bufio.NewReaderSize(out, 1<<20)
	again, err := ReadHeader(in)
	if err == nil {
		err = again.copyBody(io.Discard, in)
	}
	if err != nil {
		return Info{}, fmt.Errorf("read %s again: %w", path, err)
	}
	info, err := out.Stat()
	if err != nil {
		return Info{}, err
	}
	if err := os.Rename(out.Name(), path); err != nil {
		return Info{}, err
	}
	return Info{path, info.Size(), *h}, syncDir(filepath.Dir(path))
}

// syncDir writes the names of a directory to the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
