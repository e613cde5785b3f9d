// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

var timelineInOrder = table.Sorted[string](func(a, b *record.TimelineEvent) int { return cmp.Compare(a.Number, b.Number) })

func timelineSpace() keyspace {
	return rows[string, record.TimelineEvent]{in: func(v *View) *of[record.TimelineEvent] { return &v.timeline }, decode: decodeTimeline}.at(record.Timeline)
}

// TimelineKey returns the store key of an event of the timeline.
func TimelineKey(number uint64) string { return fmt.Sprintf("%s%012d", record.Timeline, number) }

func decodeTimeline(name string, value []byte) (*record.TimelineEvent, error) {
	e := new(record.TimelineEvent)
	n, err := strconv.ParseUint(name, 10, 64)
	if err == nil {
		err = json.Unmarshal(value, e)
	}
	e.Number = n
	return e, err
}

// Timeline yields the beginnings and ends of findings, the oldest first.
func (v *View) Timeline() iter.Seq[*record.TimelineEvent] { return timelineInOrder.All(&v.timeline) }

// CountTimeline returns the number of stored events of the timeline.
func (v *View) CountTimeline() int { return v.timeline.Len() }

// LastTimeline returns the number of the newest event, 0 if there is none.
func (v *View) LastTimeline() uint64 {
	for e := range timelineInOrder.Back(&v.timeline, &record.TimelineEvent{Number: 1<<64 - 1}) {
		return e.Number
	}
	return 0
}
