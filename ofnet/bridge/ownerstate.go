// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// ownerState is one owner in the shadow table. There is one for each endpoint of the host's tenants, so fields that few owners need are in
// holdings.
type ownerState struct {
	owner     ofnet.Key
	flows     []*entry[flow.Key, body] // places that it wants, including those that another owner has
	rest      *holdings                // nil: none
	failure   *failure                 // nil: none
	revision  uint64
	conflicts int32 // places that it wants and a smaller owner has
	phase     Phase
}

// holdings are the groups and meters that an owner wants.
type holdings struct {
	groups []*entry[uint32, flow.Group]
	meters []*entry[uint32, flow.Meter]
}

// failure is the state of an owner that the switch refused.
type failure struct {
	err     string
	retryAt time.Time     // time of the next attempt
	backoff time.Duration // the wait after the next failure
	trying  bool          // an attempt is in progress
}

func (a *ownerState) groups() []*entry[uint32, flow.Group] {
	if a.rest == nil {
		return nil
	}
	return a.rest.groups
}

func (a *ownerState) meters() []*entry[uint32, flow.Meter] {
	if a.rest == nil {
		return nil
	}
	return a.rest.meters
}

// hold returns the owner's holdings and creates them if needed.
func (a *ownerState) hold(groups []*entry[uint32, flow.Group], meters []*entry[uint32, flow.Meter]) {
	a.rest = nil
	if len(groups)+len(meters) > 0 {
		a.rest = &holdings{groups, meters}
	}
}

// trying reports whether a refused owner is being retried.
func (a *ownerState) trying() bool { return a.failure != nil && a.failure.trying }

// aside reports whether the owner's places must stay as they are.
func (a *ownerState) aside() bool { return a != nil && a.phase == Failed && !a.trying() }

// less orders owners. If two want one place, the smaller one gets it.
func less(a, b *ownerState) bool {
	if a.owner.Kind != b.owner.Kind {
		return a.owner.Kind < b.owner.Kind
	}
	return strings.Compare(a.owner.Name, b.owner.Name) < 0
}
