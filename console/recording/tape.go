// SPDX-License-Identifier: Apache-2.0

// Package recording keeps the console's input in a file, so that it can be viewed again: a line of JSON for each input, after a line that
// identifies the file, all compressed with gzip (RFC 1952).
package recording

import (
	"time"

	"github.com/contiv/contiv/console/feed"
)

// Version is that of the format which this program writes. It reads no other.
const Version = 1

// format is the word by which the first line is known.
const format = "contiv console recording"

// maxPlain bounds a recording before compression, in bytes: a player keeps it in memory.
const maxPlain = 1 << 30

// maxInputs bounds the inputs of a recording, for the same reason: the shortest take more memory than room.
const maxInputs = 4 << 20

// Header is the first line of a recording.
type Header struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Program string    `json:"program"` // that made it, with its version
	Base    string    `json:"base"`    // URL of the netmaster
	Started time.Time `json:"started"`
}

// line is every further line: an input, or the reason of the end.
type line struct {
	feed.Input
	End string `json:"end,omitempty"`
}
