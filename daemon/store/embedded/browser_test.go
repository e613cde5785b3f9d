// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// A page in a browser, which speaks HTTP/1, reaches no keys, and cannot read other answers.
func TestBrowsersReachNoKeys(t *testing.T) {
	s := begin(t, Config{Dir: t.TempDir()})
	put(t, s, "secret", "hunter2")
	for _, path := range []string{"/v3/kv/range", "/v3/kv/put", "/v3/maintenance/status", "/version", "/health"} {
		q, err := http.NewRequest(http.MethodPost, s.ClientURL()+path, strings.NewReader(`{"key":"c2VjcmV0","value":"eA=="}`))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Origin", "http://evil.example")
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if allowed := answer.Header.Get("Access-Control-Allow-Origin"); allowed != "" {
			t.Errorf("%s: pages of %s may read it", path, allowed)
		}
		if strings.HasPrefix(path, "/v3/") && answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: want 404, got %s %s", path, answer.Status, text)
		}
	}
	if i, err := s.Read(t.Context(), "secret"); err != nil || string(i.Value) != "hunter2" {
		t.Errorf("the key: got %q, %v", i.Value, err)
	}
}
