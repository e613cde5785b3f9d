// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"encoding/json"
	"os"
	"sync"

	"github.com/contiv/contiv/api/model"
)

// File appends each event to a file, as a line of JSON. If the file is moved, as by logrotate, the next event creates another.
type File struct {
	path string

	mu   sync.Mutex
	file *os.File
}

var _ Sink = (*File)(nil)

// OpenFile opens a file for appending, and creates it if necessary.
func OpenFile(path string) (*File, error) {
	f := &File{path: path}
	return f, f.open()
}

func (f *File) open() (err error) {
	f.file, err = os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return err
}

// Write appends an event.
func (f *File) Write(e model.AuditEvent) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.moved() {
		if f.file != nil {
			_ = f.file.Close()
		}
		if err := f.open(); err != nil {
			return err
		}
	}
	_, err = f.file.Write(append(text, '\n'))
	return err
}

// moved reports whether the path no longer names the open file.
func (f *File) moved() bool {
	if f.file == nil {
		return true
	}
	open, err := f.file.Stat()
	if err != nil {
		return true
	}
	now, err := os.Stat(f.path)
	return err != nil || !os.SameFile(open, now)
}
