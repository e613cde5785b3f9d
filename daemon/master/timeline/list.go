// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// Filter selects events. An empty field selects all.
type Filter struct {
	Code, Host, Object string
	Since              time.Time
	Until              time.Time // zero: no bound
	Limit              int       // maximum number of events, the newest; 0: all
	// Sees reports whether events about an object, "kind/name", may be shown; nil: all may.
	Sees func(object string) bool
}

func (f *Filter) accepts(e *record.TimelineEvent) bool {
	return (f.Code == "" || f.Code == e.Code) && (f.Host == "" || f.Host == e.Host || e.Object == "host/"+f.Host) && (f.Object == "" || f.Object == e.Object) &&
		!e.At.Before(f.Since) && (f.Until.IsZero() || !e.At.After(f.Until)) && (f.Sees == nil || f.Sees(e.Object))
}

// List returns stored events, the newest last.
func List(v *catalog.View, f Filter) []model.TimelineEvent {
	out := []model.TimelineEvent{}
	for e := range v.Timeline() {
		if f.accepts(e) {
			out = append(out, model.TimelineEvent{Number: e.Number, Time: e.At, Ended: e.Ended, Code: e.Code, Severity: model.Severity(e.Severity), Host: e.Host, Object: e.Object,
				Evidence: e.Evidence, Times: e.Times})
		}
	}
	if f.Limit > 0 && len(out) > f.Limit {
		out = out[len(out)-f.Limit:]
	}
	return out
}
