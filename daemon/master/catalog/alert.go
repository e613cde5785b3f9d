// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

var (
	alertsInOrder         = table.Sorted[string](func(a, b *record.Alert) int { return cmp.Compare(a.Key, b.Key) })
	alertReceiversInOrder = table.Sorted[string](func(a, b *record.AlertReceiver) int { return cmp.Compare(a.ID, b.ID) })
)

func alertSpaces() []keyspace {
	return []keyspace{
		rows[string, record.Alert]{in: func(v *View) *of[record.Alert] { return &v.alerts }, id: func(a *record.Alert) string { return a.Key }}.at(record.Alerts),
		rows[string, record.AlertReceiver]{in: func(v *View) *of[record.AlertReceiver] { return &v.alertReceivers }, id: func(r *record.AlertReceiver) string { return r.ID }}.at(record.AlertReceivers),
	}
}

// Alerts returns the alerts that receivers know as firing, ordered by receiver, code, host and object.
func (v *View) Alerts() (out []*record.Alert) {
	for a := range alertsInOrder.All(&v.alerts) {
		out = append(out, a)
	}
	return out
}

// CountAlerts returns the number of Alerts.
func (v *View) CountAlerts() int { return v.alerts.Len() }

// AlertReceivers returns the receivers that do not accept alerts, ordered by ID.
func (v *View) AlertReceivers() (out []*record.AlertReceiver) {
	for r := range alertReceiversInOrder.All(&v.alertReceivers) {
		out = append(out, r)
	}
	return out
}

// AlertReceiver returns the record of a receiver that does not accept alerts; nil: it accepts them.
func (v *View) AlertReceiver(id string) *record.AlertReceiver { return v.alertReceivers.Get(id) }
