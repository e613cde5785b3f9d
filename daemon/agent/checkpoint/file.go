// Package checkpoint keeps what netmasters have told this host in a file, so that an agent that starts while none is reached continues with what its
// predecessor knew, and one that starts while one is hears what has changed since, and no more.
package checkpoint

import (
	"errors"
	"fmt"
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
	sum  uint32   // of all that is in it
	base int64    // length when it was written as a whole
	size int64
}

// Open opens the file at a path, which it makes, for this account alone, and returns what is in it. With ErrFormat there is a file, and
// nothing in it. With a *DamageError there is one, and in it what came before the damage; a process that ended while it wrote a batch leaves that, too. It blocks while
// it reads.
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

// Append adds a batch. After an error nothing is kept any more, and the file is removed: it would be old.
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

// load reads a file up to its last whole batch, and says why it goes no further, as scan does.
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
