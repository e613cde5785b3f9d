// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strconv"
)

// Spliced is a JSON document around a list whose items are JSON already: Head ends before the list's first item, Tail starts after its last
// one. Answer writes it without encoding or copying the items, so they may be shared.
type Spliced struct {
	Head  []byte
	Items []json.RawMessage
	Tail  []byte
}

// write answers with the document.
func (s Spliced) write(w http.ResponseWriter) {
	size := len(s.Head) + len(s.Tail) + len("\n") + max(0, len(s.Items)-1)
	for _, item := range s.Items {
		size += len(item)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(size))
	out := bufio.NewWriterSize(w, 64<<10)
	_, _ = out.Write(s.Head)
	for i, item := range s.Items {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = out.Write(item)
	}
	_, _ = out.Write(s.Tail)
	_ = out.WriteByte('\n')
	_ = out.Flush() // the client may be gone
}
