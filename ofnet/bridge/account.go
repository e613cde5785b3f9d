package bridge

import (
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// account is one owner in the shadow table. There is one of each endpoint of the host's tenants, so what few have is apart.
type account struct {
	owner     ofnet.Key
	flows     []*entry[flow.Key, body] // places that it wants, though another owner may have them
	rest      *holdings                // nil: none
	trouble   *trouble                 // nil: none
	revision  uint64
	conflicts int32 // places that a smaller owner has
	phase     Phase
}

// holdings are what an owner wants beside flows.
type holdings struct {
	groups []*entry[uint32, flow.Group]
	meters []*entry[uint32, flow.Meter]
}

// trouble is what a refused owner has.
type trouble struct {
	err     string
	retryAt time.Time     // when it is tried again
	backoff time.Duration // the wait after the next failure
	trying  bool          // its turn has come
}

func (a *account) groups() []*entry[uint32, flow.Group] {
	if a.rest == nil {
		return nil
	}
	return a.rest.groups
}

func (a *account) meters() []*entry[uint32, flow.Meter] {
	if a.rest == nil {
		return nil
	}
	return a.rest.meters
}

// hold notes what the owner wants beside flows.
func (a *account) hold(groups []*entry[uint32, flow.Group], meters []*entry[uint32, flow.Meter]) {
	a.rest = nil
	if len(groups)+len(meters) > 0 {
		a.rest = &holdings{groups, meters}
	}
}

// trying says that a refused owner's turn has come.
func (a *account) trying() bool { return a.trouble != nil && a.trouble.trying }

// aside says that the account's places are to be left as they are.
func (a *account) aside() bool { return a != nil && a.phase == Failed && !a.trying() }

// less orders owners; of two that want one place the smaller one gets it.
func less(a, b *account) bool {
	if a.owner.Kind != b.owner.Kind {
		return a.owner.Kind < b.owner.Kind
	}
	return strings.Compare(a.owner.Name, b.owner.Name) < 0
}
