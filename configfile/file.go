// SPDX-License-Identifier: Apache-2.0

// Package configfile reads configuration files with the line of each value: maps in YAML, and files of environment variables.
package configfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/contiv/contiv/fileowner"
)

// MaxSize is the maximum size of a configuration file, in bytes.
const MaxSize = 1 << 20

// Problem is an error at a line of a file.
type Problem struct {
	File string // "": none, as in a decoded text
	Line int    // from 1; 0: the whole file
	Text string
}

// Error returns "FILE:LINE: TEXT".
func (p *Problem) Error() string {
	switch {
	case p.Line == 0 && p.File == "":
		return p.Text
	case p.Line == 0:
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// ReadTrusted is Read that refuses a file of another user than root and that of this process: users other than root create files in some
// directories of which root reads settings.
func ReadTrusted(path string) ([]byte, error) {
	return read(path, func(info fs.FileInfo) error {
		if fileowner.TrustedInfo(info) {
			return nil
		}
		return &Problem{File: path, Text: "it does not belong to root: chown root it, or remove it"}
	})
}

// Read reads a regular file of at most MaxSize bytes. The error of a missing file is fs.ErrNotExist. Read does not block at a pipe.
func Read(path string) ([]byte, error) {
	return read(path, func(fs.FileInfo) error { return nil })
}

// read reads a file of which check has nothing to say.
func read(path string, check func(fs.FileInfo) error) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &Problem{File: path, Text: fmt.Sprintf("got a %s, want a regular file", kindOf(info.Mode()))}
	}
	if err := check(info); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxSize {
		return nil, &Problem{File: path, Text: fmt.Sprintf("got more than %d bytes, want a configuration file of at most that size", MaxSize)}
	}
	return text, nil
}

// kindOf names the kind of a file that is not regular.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// Files returns the paths of the files NAME.yaml of a directory in lexical order, without hidden ones. A missing directory has none.
func Files(dir string) ([]string, error) {
	all, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range all {
		if name := e.Name(); filepath.Ext(name) == ".yaml" && name[0] != '.' {
			out = append(out, filepath.Join(dir, name))
		}
	}
	slices.Sort(out)
	return out, nil
}
