// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"gopkg.in/natefinch/lumberjack.v2"
)

// Bounds of a program's log: the file, and its predecessors.
const (
	fileMegabytes = 50
	filesBefore   = 2
)

// logs are the files of the programs' output in a directory.
type logs struct {
	dir    string
	stderr io.Writer
}

// open returns the destination of a program's output. It never fails: a full disk must not block a program.
func (l *logs) open(name string) io.Writer {
	path := filepath.Join(l.dir, name+".log")
	return &lossy{path: path, stderr: l.stderr, to: &lumberjack.Logger{Filename: path, MaxSize: fileMegabytes, MaxBackups: filesBefore}}
}

// lossy is a writer that reports a failed write on stderr, once until it succeeds again, and drops the data of the meantime.
type lossy struct {
	path   string
	stderr io.Writer
	mu     sync.Mutex
	to     io.Writer // guarded by mu
	failed bool      // guarded by mu
}

func (w *lossy) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.to.Write(p)
	if err != nil && !w.failed {
		fmt.Fprintf(w.stderr, "startcontiv: the log %s is not written: %v\n", w.path, err)
	}
	w.failed = err != nil
	return len(p), nil
}
