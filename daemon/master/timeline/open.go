package timeline

import (
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
)

// Open are the findings that have not ended by the timeline, and since when they are there.
type Open struct{ since map[name]time.Time }

// Begun reads from the timeline what has not ended, and since when it is there. What was found once more, since it became an error, began when it was found
// first.
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

// Since is since when a finding is there, RFC 3339; "" of one that is not open.
func (o Open) Since(f *model.Finding) string {
	at, ok := o.since[name{f.Code, f.Host, f.Object}]
	if !ok {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// Hosts are those on which a finding about an object is open, ordered.
func (o Open) Hosts(code, object string) (out []string) {
	for n := range o.since {
		if n.code == code && n.object == object {
			out = append(out, n.host)
		}
	}
	slices.Sort(out)
	return out
}
