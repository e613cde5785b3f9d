// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
)

// Open has the findings that have not ended by the timeline, with their beginnings.
type Open struct{ since map[name]time.Time }

// Begun reads the findings that have not ended, with their beginnings, from the timeline. A finding that was recorded again when it became
// an error began with its first record.
func Begun(v *catalog.View) Open {
	out := Open{since: map[name]time.Time{}}
	for e := range v.Timeline() {
		n := name{e.Code, e.Host, e.Object}
		if e.Ended {
			delete(out.since, n)
			continue
		}
		if _, known := out.since[n]; known {
			continue
		}
		at := e.Since
		if at.IsZero() {
			at = e.At
		}
		out.since[n] = at
	}
	return out
}

// Since returns the beginning of a finding, RFC 3339; "" if it is not open.
func (o Open) Since(f *model.Finding) string {
	at, ok := o.since[name{f.Code.String(), f.Host, f.Object}]
	if !ok {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// Hosts returns the hosts on which a finding about an object is open, ordered.
func (o Open) Hosts(code model.FindingCode, object string) (out []string) {
	for n := range o.since {
		if n.code == code.String() && n.object == object {
			out = append(out, n.host)
		}
	}
	slices.Sort(out)
	return out
}
