// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/contiv/contiv/console/feed"
)

const (
	waiting       = 1024        // inputs that may wait to be written
	flushInterval = time.Second // what is older than that survives a crash of the console
)

// Writer writes a recording. Inputs are in the file after at most one second, whatever happens to the process.
type Writer struct {
	limit  int64
	file   *os.File
	zip    *gzip.Writer
	inputs chan feed.Input
	ended  chan struct{} // closed when nothing is written any more

	mu     sync.Mutex
	closed bool
	plain  int64
	lines  int
	bytes  int64
	full   bool
	err    error
}

// Create makes a recording of at most limit bytes. A file that exists is not overwritten.
func Create(path string, limit int64, head Header) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("recording %s already exists: select another file, or remove it", path)
	}
	if err != nil {
		return nil, fmt.Errorf("create the recording: %w", err)
	}
	w := &Writer{limit: limit, file: file, inputs: make(chan feed.Input, waiting), ended: make(chan struct{})}
	w.zip, _ = gzip.NewWriterLevel(counter{w}, gzip.BestSpeed) // the level is valid
	head.Format, head.Version = format, Version
	if err := errors.Join(w.write(head), w.zip.Flush()); err != nil {
		return nil, errors.Join(fmt.Errorf("write the recording: %w", err), file.Close())
	}
	go w.run()
	return w, nil
}

// Put gives the recording an input. It blocks while many wait to be written. Once writing has failed, or the limit is
// reached, it does nothing.
func (w *Writer) Put(in feed.Input) {
	w.mu.Lock()
	deaf := w.closed || w.full || w.err != nil
	w.mu.Unlock()
	if deaf {
		return
	}
	select {
	case w.inputs <- in:
	case <-w.ended:
	}
}

// State is how large the file is, in bytes, whether it is full, and why writing failed.
func (w *Writer) State() (bytes int64, full bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bytes, w.full, w.err
}

// Close writes what waits and ends the file. It returns why anything could not be written.
func (w *Writer) Close() error {
	w.mu.Lock()
	first := !w.closed
	w.closed = true
	w.mu.Unlock()
	if first {
		w.inputs <- feed.Input{} // the end mark: an empty input
	}
	<-w.ended
	_, _, err := w.State()
	return err
}

// run writes inputs until the empty one, and then completes the file.
func (w *Writer) run() {
	defer close(w.ended)
	ticker := time.NewTicker(flushInterval)
	defer ticker.Stop()
	for dirty := false; ; {
		select {
		case in := <-w.inputs:
			if in.At.IsZero() {
				w.fail(errors.Join(w.zip.Close(), w.file.Close()))
				return
			}
			w.put(in)
			dirty = true
		case <-ticker.C:
			if dirty {
				w.fail(w.zip.Flush())
			}
			dirty = false
		}
	}
}

// put writes one input, and the end when it was the last that had room.
func (w *Writer) put(in feed.Input) {
	if _, full, err := w.State(); full || err != nil {
		return
	}
	err := w.write(line{Input: in})
	w.mu.Lock()
	w.full = w.bytes >= w.limit || w.plain >= maxPlain*9/10 || w.lines >= maxInputs*9/10 // one line more is less than the rest
	full := w.full
	w.mu.Unlock()
	if err == nil && full {
		err = errors.Join(w.write(line{Input: feed.Input{At: in.At}, End: fmt.Sprintf("the recording reached its limit of %d MiB", w.limit>>20)}), w.zip.Flush())
	}
	w.fail(err)
}

func (w *Writer) write(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.plain += int64(len(text)) + 1
	w.lines++
	w.mu.Unlock()
	_, err = w.zip.Write(append(text, '\n'))
	return err
}

// fail keeps the first error.
func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("write the recording %s: %w", w.file.Name(), err)
	}
}

// counter counts what reaches the file.
type counter struct{ w *Writer }

// Write passes on.
func (c counter) Write(b []byte) (int, error) {
	n, err := c.w.file.Write(b)
	c.w.mu.Lock()
	c.w.bytes += int64(n)
	c.w.mu.Unlock()
	return n, err
}
