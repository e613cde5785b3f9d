// SPDX-License-Identifier: Apache-2.0

// Package feed is the console's input: it follows netmaster's watch stream, polls the nodes, and delivers snapshots. Nothing else of the
// console does I/O.
package feed

import (
	"time"

	"github.com/contiv/contiv/api/model"
)

// Event is one change of an object, or what is news about a node.
type Event struct {
	At       time.Time       // by the leader's clock; for an event of a node, when this console received it
	Type     model.EventType // the verb of the history or of the timeline, or one of nodes
	Kind     string
	Key      string
	Text     string // of news or a finding: what it is; of an endpoint what it is called, where that is not its id
	By       string // the user or program, as in netctl history
	Change   string // the fields that differ, in a line
	Revision uint64
	Severity model.Severity // of a finding
}

// Pool has the addresses of a network, from its inspection.
type Pool struct {
	Count                     int    // addresses given or held
	VNI                       int    // or the VLAN id
	Allocated                 string // ranges joined by ", ", including the gateway and group pools
	Available                 string
	Held, Quarantined, Pooled string    // what of Allocated has no container: ranges too
	At                        time.Time // of the request
	Free                      int       `json:"-"` // how many addresses Available lists
}

// Snapshot is all the console knows at one moment. It is shared and must not be changed.
type Snapshot struct {
	Base      string                    // the netmaster that answered
	Objects   map[string][]model.Object // by kind name, ordered by key; without endpoints
	Endpoints []*Endpoint               // ordered by network, then identity
	Nodes     []model.Node
	Pools     map[string]Pool // by network key, "tenant:network"
	Answers   map[Question]Answer
	Rates     Rates
	Events    []Event   // oldest first, the last EventLimit
	Revision  uint64    // last revision of the watch stream
	Synced    bool      // everything has been received once
	Watching  bool      // the stream is up
	Received  time.Time // last answer to anything
	Err       string    // why the connection is down; "" while it is up

	Moment  time.Time // the earlier moment of which all this is; zero: the present, or that of a recording
	Refused string    // why nothing is known of Moment; "": it is, or will be
	Marks   []Mark    // with Moment: when something happened until now, the oldest first
}

// Past reports whether the snapshot is of an earlier moment, of which nodes, traffic, logs and objects of Kubernetes are not known.
func (s *Snapshot) Past() bool { return !s.Moment.IsZero() }

// EventLimit is how many events a Snapshot remembers.
const EventLimit = 1000
