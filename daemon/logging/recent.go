// SPDX-License-Identifier: Apache-2.0

package logging

import (
	"bytes"
	"slices"
	"sync"
)

// Bounds of the log in memory.
const (
	recentLines = 2000
	recentBytes = 512 << 10
	longestLine = 8 << 10 // bytes; the rest of a line is dropped
)

// Recent keeps the last lines of a log in memory. Its zero value is empty and useful; its methods are safe for concurrent use.
type Recent struct {
	mu    sync.Mutex
	lines [][]byte
	bytes int
	count uint64 // lines since the start
	tail  *tail  // nil: none
}

// KeepIn also writes the lines that follow to a file in a directory, unless that is "", for other programs of the host. It must be called before Write.
func (r *Recent) KeepIn(dir, program string) (err error) {
	if dir == "" {
		return nil
	}
	r.tail, err = openTail(dir, program)
	if err != nil {
		r.tail = nil
	}
	return err
}

// Write adds one line, as handlers of log/slog write them. It never fails.
func (r *Recent) Write(line []byte) (int, error) {
	kept := bytes.Clone(line)
	if len(kept) > longestLine {
		kept = append(kept[:longestLine], "...\n"...)
	}
	if r.tail != nil {
		r.tail.write(kept)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	r.lines = append(r.lines, kept)
	r.bytes += len(kept)
	drop := 0
	for len(r.lines)-drop > recentLines || r.bytes > recentBytes {
		r.bytes -= len(r.lines[drop])
		drop++
	}
	if drop > 0 {
		r.lines = slices.Delete(r.lines, 0, drop) // which clears the freed elements
	}
	return len(line), nil
}

// Text returns all lines, the oldest first.
func (r *Recent) Text() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Join(r.lines, nil)
}

// After returns the lines after the first n of all, at most most of them, the newest, and the number of all lines. A number that is larger is of an
// earlier process, and counts as 0.
func (r *Recent) After(n uint64, most int) (lines []string, all uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > r.count {
		n = 0
	}
	want := min(r.count-n, uint64(len(r.lines)), uint64(most))
	for _, line := range r.lines[len(r.lines)-int(want):] {
		lines = append(lines, string(line))
	}
	return lines, r.count
}
