// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
)

// Open has the findings that have not ended by the timeline, with their beginnings, and when the others ended.
type Open struct {
	of    map[name]*Opened
	ended map[name]time.Time
}

// Opened is a finding that has not ended.
type Opened struct {
	model.FindingRef
	Since    time.Time
	Severity model.Severity // by its last event
	Evidence string         // by its last event, shortened
}

// Begun reads the findings that have not ended, with their beginnings, from the timeline. A finding that was recorded again when it became
// an error began with its first record.
func Begun(v *catalog.View) Open { return begunBy(v, time.Time{}) }

// OpenAt returns the findings that had not ended at a moment, ordered by code, host and object. The error, which names field at, means that the
// timeline does not reach back to the moment.
func OpenAt(v *catalog.View, at time.Time) ([]Opened, error) {
	for e := range v.Timeline() {
		if e.Number > 1 && e.At.After(at) {
			return nil, model.Errorf(model.CodeNotFound, "at", "the timeline of findings does not reach back to that moment: its first event is of %s", e.At.UTC().Format(time.RFC3339)).
				Try("choose a moment after it")
		}
		break
	}
	return begunBy(v, at).List(), nil
}

// begunBy is Begun as of a moment; zero: now.
func begunBy(v *catalog.View, at time.Time) Open {
	out := Open{of: map[name]*Opened{}, ended: map[name]time.Time{}}
	for e := range v.Timeline() {
		if !at.IsZero() && e.At.After(at) {
			break
		}
		n := name{e.Code, e.Host, e.Object}
		if e.Ended {
			delete(out.of, n)
			out.ended[n] = e.At
			continue
		}
		is := out.of[n]
		if is == nil {
			is = &Opened{FindingRef: n.ref(), Since: e.Since}
			if is.Since.IsZero() {
				is.Since = e.At
			}
			out.of[n] = is
		}
		is.Severity, is.Evidence = model.Severity(e.Severity), e.Evidence
	}
	return out
}

// nameOf returns the name of a finding.
func nameOf(r model.FindingRef) name { return name{r.Code.String(), r.Host, r.Object} }

// ref returns the finding's name for the API.
func (n name) ref() model.FindingRef {
	out := model.FindingRef{Host: n.host, Object: n.object}
	_ = out.Code.UnmarshalText([]byte(n.code)) // accepts any text
	return out
}

// Since returns the beginning of a finding, RFC 3339; "" if it is not open.
func (o Open) Since(f *model.Finding) string {
	is, ok := o.of[nameOf(f.Ref())]
	if !ok {
		return ""
	}
	return is.Since.UTC().Format(time.RFC3339)
}

// Ended returns when a finding ended; zero if it is open, or its end is not in the timeline any more.
func (o Open) Ended(code, host, object string) time.Time {
	if n := (name{code, host, object}); o.of[n] == nil {
		return o.ended[n]
	}
	return time.Time{}
}

// List returns the findings that have not ended, ordered by code, host and object.
func (o Open) List() []Opened {
	out := make([]Opened, 0, len(o.of))
	for _, is := range o.of {
		out = append(out, *is)
	}
	slices.SortFunc(out, func(a, b Opened) int { return nameOf(a.FindingRef).compare(nameOf(b.FindingRef)) })
	return out
}

// Hosts returns the hosts on which a finding about an object is open, ordered.
func (o Open) Hosts(code model.FindingCode, object string) (out []string) {
	for n := range o.of {
		if n.code == code.String() && n.object == object {
			out = append(out, n.host)
		}
	}
	slices.Sort(out)
	return out
}
