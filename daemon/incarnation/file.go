// SPDX-License-Identifier: Apache-2.0

// Package incarnation decides whether a store is the one of this host's cluster, from what the host has recorded about it.
package incarnation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contiv/contiv/checksum"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/fileowner"
)

// DefaultPath is the path of the file in which daemons record the incarnation, as contiv init and contiv join configure it.
const DefaultPath = "/etc/contiv/cluster"

// maxFileSize bounds what is read of a file, in bytes.
const maxFileSize = 16 << 10

// Known is the host's knowledge of its cluster's store. The zero Known knows nothing.
type Known struct {
	record.Incarnation
	// Pending means that contiv init has created the id, and that no store has it yet.
	Pending bool `json:"pending,omitempty"`
}

// Stored returns the id of the known store, or "" if there is none.
func (k *Known) Stored() string {
	if k.Pending {
		return ""
	}
	return k.ID
}

// File is the path of the file in which a host records the incarnation, or "" for none. Everyone can read it; it has no secrets.
type File string

// Read returns the content of the file, or the zero value if there is none. An error about a malformed file has the remedy.
func (f File) Read() (out Known, err error) {
	if f == "" {
		return out, nil
	}
	text, err := os.ReadFile(string(f))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return out, nil
	case err == nil && len(text) > maxFileSize:
		err = fmt.Errorf("got %d bytes, want at most %d", len(text), maxFileSize)
	case err == nil:
		err = json.Unmarshal(text, &out)
	}
	if err == nil {
		err = errors.Join(checksum.CheckJSON(text), out.Check())
	}
	if err != nil {
		return Known{}, fmt.Errorf("incarnation of the cluster in %s: %w; copy the file from another host of the cluster, or, if you have edited it, remove the line with sum", f, err)
	}
	return out, nil
}

// Write puts what is known in the file, at once and durably: a reader finds the old text or the new one. A file that says it already
// stays as it is.
func (f File) Write(k Known) error {
	if f == "" {
		return nil
	}
	text, err := checksum.JSON(k)
	if err != nil {
		return err
	}
	if was, err := os.ReadFile(string(f)); err == nil && string(was) == string(text) {
		return nil
	}
	if err := write(string(f), text); err != nil {
		return fmt.Errorf("record the incarnation of the cluster in %s: %w", f, err)
	}
	return nil
}

// write replaces a file. Several daemons of a host write the same file, so each first writes a temporary one.
func write(path string, text []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(next.Name())
		}
	}()
	_, err = next.Write(text)
	err = errors.Join(err, fileowner.Keep(next, path), next.Chmod(0o644), next.Sync(), next.Close())
	if err != nil {
		return err
	}
	return os.Rename(next.Name(), path)
}
