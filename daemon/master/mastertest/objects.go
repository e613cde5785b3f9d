// SPDX-License-Identifier: Apache-2.0

package mastertest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

// Put creates or updates an object, and fails the test when it is refused.
func Put[T, I any](tb testing.TB, c client.Collection[T, I], o *T) {
	tb.Helper()
	if _, err := c.Put(context.Background(), o); err != nil {
		tb.Fatalf("put %+v: %v", *o, err)
	}
}

// Refused fails the test unless err is a refusal with a code, in whose words there is text.
func Refused(tb testing.TB, err error, code model.Code, text string) {
	tb.Helper()
	if !client.IsCode(err, code) || !strings.Contains(err.Error(), text) {
		tb.Errorf("want a refusal %q with %q, got %v", code, text, err)
	}
}

// Read decodes a record of the store.
func Read[T any](tb testing.TB, m *Master, key string) *T {
	tb.Helper()
	it, err := m.Store.Read(context.Background(), key)
	if err != nil {
		tb.Fatalf("record %s: %v", key, err)
	}
	out := new(T)
	if err := json.Unmarshal(it.Value, out); err != nil {
		tb.Fatal(err)
	}
	return out
}
