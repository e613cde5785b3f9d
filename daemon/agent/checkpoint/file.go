// SPDX-License-Identifier: Apache-2.0

// Package checkpoint keeps the records that this host has received in a file. An agent that starts while no netmaster is reachable
// continues with them; otherwise it receives only the changes since.
package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/contiv/contiv/daemon/channel"
)

// slack is the permitted excess of a file over twice its rewritten size, in bytes.
const slack = 1 << 20

// File has the received records, as messages of the channel. Its methods must be called by one goroutine.
type File struct {
	path string
	file *os.File // nil: nothing is kept
	sum  uint32   // of the whole file
	base int64    // length when it was last rewritten
	size int64
}

// Open opens the file at a path, creates it for this account only if necessary, and returns its contents. With ErrFormat the file exists,
// and its contents are unusable. With a *DamageError Open returns the contents before the damage; a process that ended during a write also
// causes that. It blocks while it reads.
func Open(path string) (*File, channel.Batch, error) {
	told, unread := load(path)
	if errors.Is(unread, fs.ErrNotExist) {
		unread = nil
	}
	f := &File{path: path}
	if err := f.rewrite(told); err != nil {
		return nil, channel.Batch{}, fmt.Errorf("checkpoint: %w", err)
	}
	if unread != nil {
		unread = fmt.Errorf("checkpoint: %w", unread)
	}
	return f, told.batch(), unread
}

// Append adds a batch. After an error nothing is kept any more, and the file is removed, because it would be outdated.
func (f *File) Append(b *channel.Batch) error {
	if f.file == nil {
		return nil
	}
	text, sum := frame(b, f.sum)
	n, err := f.file.Write(text)
	f.size, f.sum = f.size+int64(n), sum
	if err == nil && f.size > 2*f.base+slack {
		var told *folded
		if told, err = load(f.path); err == nil {
			err = f.rewrite(told)
		}
	}
	if err != nil {
		f.Forget()
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// Clear deletes the contents.
func (f *File) Clear() error { return f.rewrite(newFolded()) }

// Forget removes the file, and keeps nothing from now on.
func (f *File) Forget() {
	f.Close()
	_ = os.Remove(f.path) // it contains nothing secret
}

// Close closes the file, which stays.
func (f *File) Close() {
	if f.file != nil {
		_ = f.file.Close() // all batches have been written
		f.file = nil
	}
}

// rewrite replaces the file by one with the current state.
func (f *File) rewrite(told *folded) error {
	next, err := os.OpenFile(f.path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	text, sum := head()
	b := told.batch()
	batch, sum := frame(&b, sum)
	text = append(text, batch...)
	if _, err = next.Write(text); err == nil {
		err = os.Rename(next.Name(), f.path)
	}
	if err != nil {
		_ = next.Close()
		_ = os.Remove(next.Name())
		return err
	}
	f.Close()
	f.file, f.sum, f.base, f.size = next, sum, int64(len(text)), int64(len(text))
	return nil
}

// load reads a file up to its last complete batch; its error is that of scan.
func load(path string) (*folded, error) {
	told := newFolded()
	f, err := os.Open(path)
	if err != nil {
		return told, err
	}
	defer func() { _ = f.Close() }()
	if err := scan(f, told.apply); err != nil {
		if damage := new(DamageError); !errors.As(err, &damage) {
			told = newFolded()
		}
		return told, err
	}
	return told, nil
}
