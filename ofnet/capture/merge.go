// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// Join writes the packets of streams to w as they come, in one file with an interface for each stream, and closes the streams. It calls
// flush when no other packet follows at once. It blocks until all streams have ended. An error of w or flush ends the streams; the error of
// one stream does not end the others.
func Join(w io.Writer, flush func() error, streams ...*Stream) error {
	var head []byte
	for i, s := range streams {
		if i == 0 {
			head = append(head, s.section...)
		}
		head = append(head, s.place...)
	}
	return merge(w, flush, streams, head, func(i int, p packet) []byte {
		p.setInterface(i)
		return p
	})
}

// Lines writes the packets of streams to w as lines: time, place, and the text of Line. Otherwise it is like Join.
func Lines(w io.Writer, flush func() error, streams ...*Stream) error {
	var line []byte
	return merge(w, flush, streams, nil, func(i int, p packet) []byte {
		line = fmt.Appendf(line[:0], "%s %s: %s\n", p.time().Format("15:04:05.000000"), streams[i].At, Line(p.frame()))
		return line
	})
}

// merge writes head, and then the text that say returns for each packet of stream number i, one at a time.
func merge(w io.Writer, flush func() error, streams []*Stream, head []byte, say func(i int, p packet) []byte) error {
	defer closeAll(streams)
	write := func(text []byte, more bool) error {
		if _, err := w.Write(text); err != nil || more {
			return err
		}
		return flush()
	}
	if err := write(head, false); err != nil {
		return fmt.Errorf("write the capture: %w", err)
	}
	var turn sync.Mutex
	var wait sync.WaitGroup
	var failed error
	broken := make([]error, len(streams))
	for i, s := range streams {
		wait.Go(func() {
			for {
				p, err := s.packet()
				turn.Lock()
				if err == nil && failed == nil {
					if failed = write(say(i, p), s.more()); failed != nil {
						closeAll(streams)
					}
				}
				over := failed != nil
				turn.Unlock()
				if err != nil && !errors.Is(err, io.EOF) && !over {
					broken[i] = fmt.Errorf("%s: the capture broke off: %w", s.At, err)
				}
				if err != nil || over {
					return
				}
			}
		})
	}
	wait.Wait()
	if failed != nil {
		return fmt.Errorf("write the capture: %w", failed)
	}
	return errors.Join(broken...)
}

func closeAll(streams []*Stream) {
	for _, s := range streams {
		_ = s.from.Close() // it was only read
	}
}
