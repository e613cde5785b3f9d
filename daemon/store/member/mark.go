// SPDX-License-Identifier: Apache-2.0

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

// Mark records the position that a member has reached, on another file system than its directory: the member's log ends there or later. A
// directory behind its mark is an old copy.
type Mark struct {
	Dir    string `json:"dir"`    // the member's directory
	Member string `json:"member"` // id, in hexadecimal
	Position
}

// Position is a place in the log of a member: Raft's term and the index of an entry.
type Position struct {
	Term  uint64 `json:"term"`
	Index uint64 `json:"index"`
}

func (p Position) String() string { return fmt.Sprintf("term %d, index %d", p.Term, p.Index) }

// Behind reports whether a log that ends at p lacks entries of a log that has reached o. Neither the term nor the applied index ever
// decreases.
func (p Position) Behind(o Position) bool { return p.Index < o.Index || p.Term < o.Term }

// maxMark bounds the size of a file with a mark, in bytes.
const maxMark = 16 << 10

// ReadMark returns the mark in a file; the zero value if the file does not exist. A damaged mark is an error.
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

// Write writes the mark to a file, durably.
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

// Last returns the position at which the log in a directory ends. It reads the log from its last snapshot; it returns an error if the log
// is damaged.
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
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // a process that ended during a write leaves that
		return out, fmt.Errorf("%s: %w", logs, err)
	}
	out = Position{Term: max(from.GetTerm(), state.GetTerm()), Index: from.GetIndex()}
	if n := len(entries); n > 0 {
		out = Position{Term: max(out.Term, entries[n-1].GetTerm()), Index: max(out.Index, entries[n-1].GetIndex())}
	}
	return out, nil
}

// lockTimeout bounds the time that Peers waits for a process that uses the database.
const lockTimeout = time.Second

// Peer is a member of a store as another member's directory has it.
type Peer struct {
	Name string   `json:"name"`
	URLs []string `json:"peerURLs"`
}

// Peers returns the members of the store, this one among them, from the data in a directory that no process uses.
func Peers(dir string) (peers []Peer, err error) {
	path := datadir.ToBackendFileName(filepath.Clean(dir))
	defer func() {
		if r := recover(); r != nil { // bbolt panics at impossible pages
			err = fmt.Errorf("%s: %v", path, r)
		}
	}()
	db, err := bolt.Open(path, 0o400, &bolt.Options{ReadOnly: true, Timeout: lockTimeout})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = db.Close() }()
	err = db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket(schema.Members.Name())
		if b == nil {
			return fmt.Errorf("%s: it has no members", path)
		}
		return b.ForEach(func(_, text []byte) error {
			var one Peer
			if err := json.Unmarshal(text, &one); err != nil {
				return fmt.Errorf("%s: member: %w", path, err)
			}
			peers = append(peers, one)
			return nil
		})
	})
	return peers, err
}
