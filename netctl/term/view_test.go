// SPDX-License-Identifier: Apache-2.0

package term

import (
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// A row of a view has a cell for each shown column: the caller's, that of the value in its style, or the one for no value.
func TestViewRow(t *testing.T) {
	type item struct {
		on   bool
		at   time.Time
		text string
	}
	view := model.View[item]{
		{Column: model.Column{Header: "On", Style: "yesno"}, Value: func(x *item) any { return x.on }},
		{Column: model.Column{Header: "At", Style: "time", Wide: true}, Value: func(x *item) any { return x.at }},
		{Column: model.Column{Header: "Text", None: "none"}, Value: func(x *item) any { return x.text }},
		{Column: model.Column{Header: "Age"}},
	}
	at := time.Date(2030, 1, 2, 4, 4, 5, 0, time.FixedZone("", 3600))
	for _, row := range []struct {
		name string
		item item
		wide bool
		own  map[string]string
		want []string
	}{
		{"no values", item{}, false, nil, []string{"no", "none", ""}},
		{"all values", item{true, at, "two\nlines"}, true, map[string]string{"Age": "3s"}, []string{"yes", "2030-01-02 03:04:05", "two\nlines", "3s"}},
		{"another wording", item{text: "x"}, false, map[string]string{"Text": "y"}, []string{"no", "y", ""}},
	} {
		if got := ViewRow(view, row.wide, &row.item, row.own); !slices.Equal(got, row.want) {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
		if headers := view.Headers(row.wide); len(headers) != len(row.want) {
			t.Errorf("%s: want a header for each of %d cells, got %q", row.name, len(row.want), headers)
		}
	}
}
