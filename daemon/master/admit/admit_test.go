// SPDX-License-Identifier: Apache-2.0

package admit_test

import (
	"testing"

	"github.com/contiv/contiv/daemon/master/enginetest"
)

// row is a change and what becomes of it: "" when it is let in, else the refusal with its field and its remedy.
type row struct {
	name  string
	given []string // the initial objects
	do    string
	want  string
}

// try does each row in a cluster of its own.
func try(t *testing.T, o enginetest.Options, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			w := enginetest.Start(t, o)
			w.Must(t, r.given...)
			before := w.Catalog.Revision()
			_, err := w.Do(r.do)
			if got := enginetest.Say(err); got != r.want {
				t.Errorf("%s\nwant %q\ngot  %q", r.do, r.want, got)
			}
			if after := w.Catalog.Revision(); (after > before) != (r.want == "") {
				t.Errorf("%s: at revision %d before, %d after: what is refused changes nothing, and what is let in is stored", r.do, before, after)
			}
		})
	}
}

const blue = "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254"
