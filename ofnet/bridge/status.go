// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Phase is the state of an owner's flows on their way into the switch.
type Phase uint8

// The phases.
const (
	Pending Phase = iota // changed, and not yet past the barrier
	Done                 // in the switch
	Failed               // refused, with the reason in the owner's Err; the reconciler retries it
)

// String is the phase as operators read it.
func (p Phase) String() string {
	switch p {
	case Pending:
		return "pending"
	case Done:
		return "done"
	case Failed:
		return "error"
	}
	return "unknown"
}

// OwnerStatus describes the flows of one owner in the switch.
type OwnerStatus struct {
	Owner    ofnet.Key
	Phase    Phase
	Revision uint64 // store revision of the last change
	Flows    int    // flows that the owner wants
	Err      string // why, when Phase is Failed
}

// Summary is the state of a Reconciler in a few numbers.
type Summary struct {
	Connected bool
	Revision  uint64    // everything up to this store revision is in the switch, except refused owners
	Passed    time.Time // when Revision was reached; zero before the first
	Owners    int
	Pending   int
	Failed    int
	Flows     int // desired flows
	Groups    int // desired groups
	Meters    int // desired meters
}

// LiveFlow is a flow as the switch holds it, with its owner.
type LiveFlow struct {
	flow.Flow
	Owner          ofnet.Key // the owner that its cookie names, or that wants it; zero: none
	Packets, Bytes uint64
	Seconds        uint32 // since it was added to the switch
}

// Counters are totals since the Reconciler was made.
type Counters struct {
	FlowMods    uint64 // flow, group and meter changes sent
	Bundles     uint64 // successful bundles
	Refused     uint64 // bundles that the switch refused
	Resyncs     uint64 // whole comparisons with the switch
	Drift       uint64 // differences that comparisons found after the first one of each connection
	Connections uint64
	Forgotten   uint64 // selections of connections that the switch deleted
}
