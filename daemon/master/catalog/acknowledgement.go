// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

var acknowledgementsInOrder = table.Sorted[string](func(a, b *record.Acknowledgement) int { return cmp.Compare(a.Key, b.Key) })

func acknowledgementSpace() keyspace {
	return rows[string, record.Acknowledgement]{in: func(v *View) *of[record.Acknowledgement] { return &v.acknowledgements }, id: func(a *record.Acknowledgement) string { return a.Key }}.at(record.Acknowledgements)
}

// Acknowledgements returns the acknowledgements of findings, ordered by code and object, also those that have expired.
func (v *View) Acknowledgements() (out []*record.Acknowledgement) {
	for a := range acknowledgementsInOrder.All(&v.acknowledgements) {
		out = append(out, a)
	}
	return out
}

// Acknowledged returns the acknowledgement of a finding that is in force at a time, nil if there is none.
func (v *View) Acknowledged(code, object string, at time.Time) *record.Acknowledgement {
	if a := v.acknowledgements.Get(record.AcknowledgementKey(code, object)); a != nil && at.Before(a.Until) {
		return a
	}
	return nil
}
