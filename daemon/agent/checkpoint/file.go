// Package checkpoint keeps what netmasters have told this host in a file, so that an agent that starts while none is reached goes on with what its
// predecessor knew, and one that starts while one is hears what has changed since, and no more.
package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/contiv/contiv/daemon/channel"
)

// slack is how much longer than what is known a file may be, beside as much again, in bytes.
const slack = 1 << 20

// File is what has been told, in the messages of the channel, in which it came. Its methods are called by one goroutine.
type File struct {
	path string
	file *os.File // nil: nothing is kept
	base int64    // length when it was written as a whole
	size int64
}

// ErrUnreadable says that nothing is known of what was told before: the file was not as agents write it.
var ErrUnreadable = errors.New("what was told before cannot be read, and is forgotten")

// Open opens the file at a path, which it makes, for this account alone, and returns what is in it. What a process was writing when it ended is left
// out. With ErrUnreadable there is a file all the same, and nothing in it. It blocks while it reads.
func Open(path string) (*File, channel.Batch, error) {
	told, unread := load(path)
	f := &File{path: path}
	if err := f.rewrite(told); err != nil {
		return nil, channel.Batch{}, fmt.Errorf("checkpoint: %w", err)
	}
	if unread != nil && !errors.Is(unread, fs.ErrNotExist) {
		return f, channel.Batch{}, fmt.Errorf("checkpoint: %w: %w", ErrUnreadable, unread)
	}
	return f, told.batch(), nil
}

// Append adds a batch. After an error nothing is kept any more, and the file is removed: it would be old.
func (f *File) Append(b *channel.Batch) error {
	if f.file == nil {
		return nil
	}
	text := encode(b)
	n, err := f.file.Write(text)
	f.size += int64(n)
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

// Clear forgets what was told.
func (f *File) Clear() error { return f.rewrite(newFolded()) }

// Forget removes the file, and keeps nothing from now on.
func (f *File) Forget() {
	f.Close()
	_ = os.Remove(f.path) // there is nothing in it that must go
}

// Close ends the use of the file, which stays.
func (f *File) Close() {
	if f.file != nil {
		_ = f.file.Close() // what matters has been written
		f.file = nil
	}
}

// rewrite puts a file with what is known in the place of the one that there is.
func (f *File) rewrite(told *folded) error {
	next, err := os.OpenFile(f.path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	b := told.batch()
	text := encode(&b)
	if _, err = next.Write(text); err == nil {
		err = os.Rename(next.Name(), f.path)
	}
	if err != nil {
		_ = next.Close()
		_ = os.Remove(next.Name())
		return err
	}
	f.Close()
	f.file, f.base, f.size = next, int64(len(text)), int64(len(text))
	return nil
}

// encode is a batch as messages.
func encode(b *channel.Batch) []byte {
	var out bytes.Buffer
	for i := range b.Updates {
		out.Write(channel.EncodeUpdate(&b.Updates[i]))
	}
	out.Write(channel.EncodeMark(b.Mark, b.Left))
	return out.Bytes()
}

// load reads a file up to its last whole batch.
func load(path string) (*folded, error) {
	told := newFolded()
	f, err := os.Open(path)
	if err != nil {
		return told, err
	}
	defer func() { _ = f.Close() }()
	for in := channel.NewReader(f); ; {
		b, err := in.Read()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return told, nil
		case err != nil:
			return newFolded(), err
		}
		told.take(&b)
	}
}
