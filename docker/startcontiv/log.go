package main

import (
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"gopkg.in/natefinch/lumberjack.v2"
)

// Bounds of a program's log: the file, and those before it.
const (
	fileMegabytes = 50
	filesBefore   = 2
)

// logs are the files of the programs' output in a folder.
type logs struct {
	dir    string
	stderr io.Writer
}

// open returns where a program's output goes. It never refuses: a program must not stand still because a disk is full.
func (l *logs) open(name string) io.Writer {
	path := filepath.Join(l.dir, name+".log")
	return &lossy{path: path, stderr: l.stderr, to: &lumberjack.Logger{Filename: path, MaxSize: fileMegabytes, MaxBackups: filesBefore}}
}

// lossy is a writer that says on stderr that it cannot write, once until it can again, and drops what it is given meanwhile.
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
