// SPDX-License-Identifier: Apache-2.0

package health

import (
	"cmp"
	"time"

	"github.com/contiv/contiv/api/model"
)

// lag is the oldest revision that a host was seen to lack, and since when. In a cluster that changes all the time, each look finds some
// revision that a host has not applied yet, although none of them waits.
type lag struct {
	revision uint64
	since    string // RFC 3339
	moved    bool   // the host has applied the revision that it lacked before
}

// Follow records which revisions hosts lack. It precedes Date.
func (m *Memory) Follow(nodes []model.Node, now time.Time) {
	next := make(map[string]lag)
	for i := range nodes {
		n := &nodes[i]
		if n.Lag == 0 {
			continue
		}
		was, known := m.lags[n.Name]
		if known && n.Revision < was.revision {
			next[n.Name] = was
			continue
		}
		next[n.Name] = lag{n.Revision + n.Lag, now.UTC().Format(time.RFC3339), known}
	}
	m.lags = next
}

// lagSince returns since when a host lacks a revision. begun is since when it was behind by the timeline, "" if it was not.
func (m *Memory) lagSince(host, begun string) string {
	l := m.lags[host]
	if l.moved {
		return l.since
	}
	return cmp.Or(begun, l.since)
}
