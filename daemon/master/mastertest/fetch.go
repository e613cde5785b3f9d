// SPDX-License-Identifier: Apache-2.0

package mastertest

import (
	"io"
	"net/http"
	"testing"
)

// Fetch requests a URL as JSON, and returns the answer's status, text and header.
func Fetch(t *testing.T, url string) (status int, text string, header http.Header) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Accept", "application/json")
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body), answer.Header
}
