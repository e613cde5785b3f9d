package bridge

import (
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// ownerState is one owner in the shadow table. There is one of each endpoint of the host's tenants, so what few have is apart.
type ownerState struct {
	owner     ofnet.Key
	flows     []*entry[flow.Key, body] // places that it wants, though another owner may have them
	rest      *holdings                // nil: none
	failure   *failure                 // nil: none
	revision  uint64
	conflicts int32 // places that a smaller owner has
	phase     Phase
}

// holdings are what an owner wants beside flows.
type holdings struct {
	groups []*entry[uint32, flow.Group]
	meters []*entry[uint32, flow.Meter]
}

// failure is what a refused owner has.
type failure struct {
	err     string
	retryAt time.Time     // when it is tried again
	backoff time.Duration // the wait after the next failure
	trying  bool          // its turn has come
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

// hold notes what the owner wants beside flows.
func (a *ownerState) hold(groups []*entry[uint32, flow.Group], meters []*entry[uint32, flow.Meter]) {
	a.rest = nil
	if len(groups)+len(meters) > 0 {
		a.rest = &holdings{groups, meters}
	}
}

// trying says that a refused owner's turn has come.
func (a *ownerState) trying() bool { return a.failure != nil && a.failure.trying }

// aside says that the account's places are to be left as they are.
func (a *ownerState) aside() bool { return a != nil && a.phase == Failed && !a.trying() }

// less orders owners; of two that want one place the smaller one gets it.
func less(a, b *ownerState) bool {
	if a.owner.Kind != b.owner.Kind {
		return a.owner.Kind < b.owner.Kind
	}
	return strings.Compare(a.owner.Name, b.owner.Name) < 0
}
