package member

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	"go.etcd.io/etcd/server/v3/storage/datadir"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"

	"github.com/contiv/contiv/checksum"
)

// Mark is how far the member of a folder has been, noted on another file system than the folder's: its log has this position, or one beyond. A folder that is behind
// its mark is a copy of before.
type Mark struct {
	Dir    string `json:"dir"`    // the folder
	Member string `json:"member"` // id, in hexadecimal
	Position
}

// Position is a place in the log of a member: Raft's term and the index of an entry.
type Position struct {
	Term  uint64 `json:"term"`
	Index uint64 `json:"index"`
}

func (p Position) String() string { return fmt.Sprintf("term %d, index %d", p.Term, p.Index) }

// Behind reports whether a log that ends at p lacks something of one that has been at o. Neither terms nor the index of what was carried out ever decrease.
func (p Position) Behind(o Position) bool { return p.Index < o.Index || p.Term < o.Term }

// maxMark bounds what is read of a file with a mark, in bytes.
const maxMark = 16 << 10

// ReadMark returns the mark in a file; the zero value where there is none. One that is damaged is an error.
func ReadMark(path string) (out Mark, err error) {
	if path == "" {
		return out, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err == nil && len(text) > maxMark {
		err = fmt.Errorf("got %d bytes, want at most %d", len(text), maxMark)
	}
	if err == nil {
		err = errors.Join(checksum.CheckJSON(text), json.Unmarshal(text, &out))
	}
	if err != nil {
		return Mark{}, fmt.Errorf("mark of the store's member in %s: %w", path, err)
	}
	return out, nil
}

// Write puts the mark in a file, durably.
func (m Mark) Write(path string) error {
	if path == "" {
		return nil
	}
	text, err := checksum.JSON(m)
	if err != nil {
		return err
	}
	return place(path, text)
}

// Last returns the position at which the log in a folder ends. It reads the log from its last snapshot on; an error is that of a log that is damaged.
func Last(dir string) (out Position, err error) {
	logs, quiet := datadir.ToWALDir(filepath.Clean(dir)), zap.NewNop()
	all, err := wal.ValidSnapshotEntries(quiet, logs)
	if err != nil || len(all) == 0 {
		return out, errors.Join(err, fmt.Errorf("%s: got %d places from which it can be read, want one or more", logs, len(all)))
	}
	from := all[len(all)-1]
	w, err := wal.OpenForRead(quiet, logs, from)
	if err != nil {
		return out, err
	}
	defer func() { _ = w.Close() }()
	_, state, entries, err := w.ReadAll()
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // a process that ended while it wrote leaves that
		return out, fmt.Errorf("%s: %w", logs, err)
	}
	out = Position{Term: max(from.GetTerm(), state.GetTerm()), Index: from.GetIndex()}
	if n := len(entries); n > 0 {
		out = Position{Term: max(out.Term, entries[n-1].GetTerm()), Index: max(out.Index, entries[n-1].GetIndex())}
	}
	return out, nil
}

// lockLimit is how long Members waits for a process that uses the database.
const lockLimit = time.Second

// Members returns how many members the store has, by the data in a folder that no process uses.
func Members(dir string) (n int, err error) {
	path := datadir.ToBackendFileName(filepath.Clean(dir))
	defer func() {
		if r := recover(); r != nil { // bbolt ends so at pages that cannot be
			err = fmt.Errorf("%s: %v", path, r)
		}
	}()
	db, err := bolt.Open(path, 0o400, &bolt.Options{ReadOnly: true, Timeout: lockLimit})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = db.Close() }()
	err = db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket(schema.Members.Name())
		if b == nil {
			return fmt.Errorf("%s: it has no members", path)
		}
		return b.ForEach(func(_, _ []byte) error { n++; return nil })
	})
	return n, err
}
