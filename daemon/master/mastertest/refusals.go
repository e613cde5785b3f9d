// SPDX-License-Identifier: Apache-2.0

package mastertest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/model/twice"
)

// refusals passes requests to next and fails the test if a refusal says something twice.
func refusals(tb testing.TB, next http.Handler) http.Handler {
	if _, fuzzed := tb.(*testing.F); fuzzed {
		return next // the fuzzed function runs in parallel to tb, on which Errorf must not be called then
	}
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		heard := &heard{ResponseWriter: w}
		next.ServeHTTP(heard, q)
		var p model.Problem
		if text := heard.text.Bytes(); len(text) > 0 && json.Unmarshal(text, &p) == nil {
			if phrase := twice.Said(p.Error().Error()); phrase != "" {
				tb.Errorf("%s %s is refused with %q twice: %s", q.Method, q.URL, phrase, p.Error())
			}
		}
	})
}

// A response writer that keeps the text of a refusal.
type heard struct {
	http.ResponseWriter
	text bytes.Buffer
}

func (h *heard) Write(b []byte) (int, error) {
	if strings.HasPrefix(h.Header().Get("Content-Type"), "application/problem+json") {
		h.text.Write(b)
	}
	return h.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (h *heard) Unwrap() http.ResponseWriter { return h.ResponseWriter }
