// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/contiv/contiv/console/feed"
)

// Recording is what a file holds.
type Recording struct {
	Header  Header
	Inputs  []feed.Input
	Warning string // why it ends where it ends; "" when the console was ended
}

// Open reads the recording in a file.
func Open(path string) (*Recording, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	defer func() { _ = file.Close() }()
	r, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Read reads a recording. A truncated one, as after a crash, is read as far as possible, with a note of that; one that is damaged, too
// large, of another version, or something else, is an error.
func Read(in io.Reader) (*Recording, error) {
	zip, err := gzip.NewReader(bufio.NewReader(in))
	if err != nil {
		return nil, foreign("it is not compressed with gzip")
	}
	plain := &io.LimitedReader{R: zip, N: maxPlain}
	lines := bufio.NewReaderSize(plain, 64<<10)
	first, err := head(lines)
	if err != nil {
		return nil, err
	}
	out := &Recording{}
	switch err := json.Unmarshal(first, &out.Header); {
	case err != nil || out.Header.Format != format:
		return nil, foreign("its first line differs")
	case out.Header.Version != Version:
		return nil, fmt.Errorf("the recording has format version %d of %q; this program supports version %d", out.Header.Version, out.Header.Program, Version)
	}
	for {
		text, err := lines.ReadBytes('\n')
		switch {
		case err == io.EOF && plain.N <= 0:
			return nil, fmt.Errorf("the recording has more than %d MiB uncompressed: it was not made by contiv console", maxPlain>>20)
		case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF && len(text) > 0:
			if len(out.Inputs) == 0 {
				return nil, errors.New("the recording is truncated: it has no entries")
			}
			out.Warning = "the recording is truncated"
			return out, nil
		case err == io.EOF:
			if len(out.Inputs) == 0 {
				return nil, errors.New("the recording is empty")
			}
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("the recording is damaged after %d entries: %w", len(out.Inputs), err)
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fmt.Errorf("the recording is damaged: entry %d: %w", len(out.Inputs)+1, err)
		}
		if l.End != "" {
			out.Warning = l.End
			continue
		}
		if len(out.Inputs) == maxInputs {
			return nil, fmt.Errorf("the recording has more than %d entries: it was not made by contiv console", maxInputs)
		}
		out.Inputs = append(out.Inputs, l.Input)
	}
}

// maxHead bounds the first line, in bytes.
const maxHead = 16 << 10

// head is the first line.
func head(lines *bufio.Reader) ([]byte, error) {
	first, err := lines.ReadSlice('\n')
	switch {
	case err == nil && len(first) <= maxHead:
		return first, nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the recording is truncated: it has no entries")
	}
	return nil, foreign("its first line differs")
}

func foreign(why string) error {
	return fmt.Errorf("not a recording: %s; create one with contiv console --record FILE", why)
}
