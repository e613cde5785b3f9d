package fields

import (
	"fmt"
	"io"
)

// atOnce is how much is read at once, in bytes. Memory that a short program touches for the first time costs it more than
// another read.
const atOnce = 32 << 10

// window is the part of a text that is looked at.
type window struct {
	in     io.Reader
	text   []byte
	at     int   // the place in text
	passed int64 // what came before text, in bytes
	err    error // why nothing more comes
}

// more gives up what lies before from and reads on, until as much again is there as is kept, so that looking at it anew costs no
// more than reading it. It is false when nothing more comes.
func (w *window) more(from int) bool {
	kept := copy(w.text, w.text[from:])
	w.text, w.at, w.passed = w.text[:kept], w.at-from, w.passed+int64(from)
	if 2*kept > cap(w.text) {
		w.text = append(make([]byte, 0, 2*cap(w.text)), w.text...)
	}
	for w.err == nil && len(w.text) < max(2*kept, 1) {
		var n int
		n, w.err = w.in.Read(w.text[len(w.text):cap(w.text)])
		w.text = w.text[:len(w.text)+n]
	}
	return len(w.text) > kept
}

// next passes over white space and returns the character behind it, which it leaves; 0 when none comes.
func (w *window) next() byte {
	for {
		for ; w.at < len(w.text); w.at++ {
			if c := w.text[w.at]; !space(c) {
				return c
			}
		}
		if !w.more(w.at) {
			return 0
		}
	}
}

// unexpected is the error of a text that cannot go on so.
func (w *window) unexpected() error {
	place := w.passed + int64(w.at)
	switch {
	case w.at < len(w.text):
		return fmt.Errorf("unexpected %q in JSON at byte %d", w.text[w.at], place)
	case w.err != nil && w.err != io.EOF:
		return w.err
	}
	return fmt.Errorf("unexpected end of JSON after %d bytes", place)
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
