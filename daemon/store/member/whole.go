// SPDX-License-Identifier: Apache-2.0

package member

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/storage/datadir"
)

// A bbolt database starts with two pages that describe it. The newer undamaged one counts. Numbers have this processor's byte order.
const (
	boltMagic  = 0xED0CDAED
	boltHeader = 16 // of a page, in bytes
	boltMeta   = 64 // of a description
	pageLeast  = 512
	maxPage    = 64 << 10
)

// Whole returns an error for a database that is shorter than it says, or whose two descriptions are damaged. bbolt maps the file, so the
// process would crash on a read beyond its end. Whole accepts a directory without a database, and does not check the contents of pages, for
// which bbolt keeps no checksums.
func Whole(dir string) error {
	path := datadir.ToBackendFileName(filepath.Clean(dir))
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var wants, newest uint64
	for _, size := range []uint64{0, uint64(os.Getpagesize())} { // offsets of the pages
		if want, at, ok := described(f, size); ok && at >= newest {
			wants, newest = want, at
		}
	}
	switch {
	case wants == 0:
		return fmt.Errorf("%s: it does not begin as a database of etcd", path)
	case uint64(info.Size()) < wants:
		return fmt.Errorf("%s: it ends after %d of %d bytes", path, info.Size(), wants)
	}
	return nil
}

// described reads the description in the page at an offset: the length of the database in bytes, and the number of the transaction that
// wrote it; false if it is damaged.
func described(f io.ReaderAt, at uint64) (length, transaction uint64, ok bool) {
	text := make([]byte, boltMeta)
	if _, err := f.ReadAt(text, int64(at+boltHeader)); err != nil {
		return 0, 0, false
	}
	sum := fnv.New64a()
	_, _ = sum.Write(text[:56])
	order := binary.NativeEndian
	page := uint64(order.Uint32(text[8:]))
	if order.Uint32(text) != boltMagic || order.Uint64(text[56:]) != sum.Sum64() || page < pageLeast || page > maxPage {
		return 0, 0, false
	}
	return order.Uint64(text[40:]) * page, order.Uint64(text[48:]), true
}
