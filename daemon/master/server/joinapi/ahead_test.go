// SPDX-License-Identifier: Apache-2.0

package joinapi

import (
	"slices"
	"testing"
)

// A host joins at the netmaster that has made its token, which runs; the others of the list may not.
func TestAhead(t *testing.T) {
	for _, row := range []struct {
		own        string
		list, want []string
	}{
		{"c:1", []string{"a:1", "b:1", "c:1"}, []string{"c:1", "a:1", "b:1"}},
		{"a:1", []string{"a:1", "b:1"}, []string{"a:1", "b:1"}},
		{"d:1", []string{"a:1", "b:1"}, []string{"a:1", "b:1"}},
		{"", nil, nil},
	} {
		if got := ahead(slices.Clone(row.list), row.own); !slices.Equal(got, row.want) {
			t.Errorf("%q of %q: want %q, got %q", row.own, row.list, row.want, got)
		}
	}
}
