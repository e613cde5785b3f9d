// SPDX-License-Identifier: Apache-2.0

package logging

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"
)

// maxTail is the size of a tail from which on it begins again, in bytes; the one before is kept beside it.
const maxTail = 512 << 10

// TailFile returns the path of the last log lines of a program in a directory.
func TailFile(dir, program string) string { return filepath.Join(dir, program+".last") }

// tail writes the last lines of a log to a file, for other programs of the host when this one has ended. Crashes of the runtime are written
// there, too.
type tail struct {
	path string

	mu   sync.Mutex
	file *os.File
	size int64
}

// openTail opens the tail of a program. It creates the directory, whose group may read the tail.
func openTail(dir, program string) (*tail, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	t := &tail{path: TailFile(dir, program)}
	return t, t.open()
}

func (t *tail) open() error {
	f, err := os.OpenFile(t.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o640)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return err
	}
	if dir, err := os.Stat(filepath.Dir(t.path)); err == nil {
		if s, ok := dir.Sys().(*syscall.Stat_t); ok {
			_ = f.Chown(-1, int(s.Gid)) // only root may do so for any group
		}
	}
	_ = debug.SetCrashOutput(f, debug.CrashOptions{}) // an error leaves it where it is
	t.file, t.size = f, info.Size()
	return nil
}

// write adds a line. A full disk loses lines here, and holds up nothing.
func (t *tail) write(line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size+int64(len(line)) > maxTail {
		was := t.file
		if os.Rename(t.path, t.path+".1") != nil || t.open() != nil {
			return
		}
		_ = was.Close()
	}
	n, _ := t.file.Write(line)
	t.size += int64(n)
}
