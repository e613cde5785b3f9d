// SPDX-License-Identifier: Apache-2.0

package alert

import (
	"time"

	prometheus "github.com/prometheus/common/model"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/timeline"
	"github.com/contiv/contiv/daemon/record"
)

// step is what a receiver is sent about one finding, and what it knows after that.
type step struct {
	alerts []*prometheus.Alert
	put    *record.Alert // it knows this alert
	remove string        // key of the alert that has ended there
}

// changes reports whether the step changes what the receiver knows.
func (s step) changes() bool { return s.put != nil || s.remove != "" }

// plan returns the steps from what the receiver knows to the findings that are open by the timeline and not acknowledged. A finding that
// follows from another one gets no alert, but keeps one that it has. again: firing alerts are repeated.
func (d *delivery) plan(v *catalog.View, now time.Time, again bool) (out []step) {
	found := d.current()
	if found == nil {
		return nil // causes are not known yet
	}
	known := map[string]*record.Alert{}
	for _, a := range v.Alerts() {
		if a.Receiver == d.to.ID {
			known[a.Key] = a
		}
	}
	firing, open := len(known), timeline.Begun(v)
	wanted := map[string]bool{}
	for _, is := range open.List() {
		code := is.Code.String()
		if v.Acknowledged(code, is.Object, now) != nil {
			continue
		}
		next := &record.Alert{Key: record.AlertKey(d.to.ID, code, is.Host, is.Object), Receiver: d.to.ID, Code: code, Host: is.Host, Object: is.Object,
			Severity: string(is.Severity), Since: is.Since}
		if next.Since.After(now) { // by the clock of another machine
			next.Since = now.UTC().Truncate(time.Second)
		}
		f, reported := found[is.FindingRef]
		notes := annotations(&is, nil)
		if reported {
			notes = annotations(&is, &f)
		}
		was := known[next.Key]
		switch {
		case was == nil && (f.CausedBy != nil || firing >= maxFiring):
		case was == nil:
			firing++
			out = append(out, step{alerts: []*prometheus.Alert{d.firing(next, notes, now)}, put: next})
		case was.Severity != next.Severity:
			next.Since = was.Since
			out = append(out, step{alerts: []*prometheus.Alert{d.resolved(was, ended(nil), now), d.firing(next, notes, now)}, put: next})
		case again:
			out = append(out, step{alerts: []*prometheus.Alert{d.firing(was, notes, now)}})
		}
		wanted[next.Key] = true
	}
	for _, was := range v.Alerts() {
		if was.Receiver != d.to.ID || wanted[was.Key] {
			continue
		}
		ack := v.Acknowledged(was.Code, was.Object, now)
		at := now
		if ack == nil {
			at = endOf(open, was, now)
		}
		out = append(out, step{alerts: []*prometheus.Alert{d.resolved(was, ended(ack), at)}, remove: was.Key})
	}
	return out
}

// endOf returns when the finding of an alert ended, by the timeline if that has it.
func endOf(open timeline.Open, was *record.Alert, now time.Time) time.Time {
	if at := open.Ended(was.Code, was.Host, was.Object); !at.IsZero() && !at.After(now) {
		return at
	}
	return now
}

// firing returns the alert about a finding that has not ended. It ends by itself unless it is sent again.
func (d *delivery) firing(a *record.Alert, notes prometheus.LabelSet, now time.Time) *prometheus.Alert {
	return &prometheus.Alert{Labels: labels(a, d.Labels), Annotations: notes, StartsAt: a.Since, EndsAt: now.UTC().Add(4 * d.Resend), GeneratorURL: d.Generator}
}

// resolved returns the alert about a finding that has ended.
func (d *delivery) resolved(a *record.Alert, notes prometheus.LabelSet, at time.Time) *prometheus.Alert {
	return &prometheus.Alert{Labels: labels(a, d.Labels), Annotations: notes, StartsAt: a.Since, EndsAt: later(at.UTC(), a.Since), GeneratorURL: d.Generator}
}
