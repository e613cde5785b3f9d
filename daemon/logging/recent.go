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
}

// Write adds one line, as handlers of log/slog write them. It never fails.
func (r *Recent) Write(line []byte) (int, error) {
	kept := bytes.Clone(line)
	if len(kept) > longestLine {
		kept = append(kept[:longestLine], "...\n"...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
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
