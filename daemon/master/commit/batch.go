package commit

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// batch is what requests of one transaction share, and what those of the next one must leave alone while the transaction
// is under way.
type batch struct {
	endpoints map[string]*record.Endpoint // put, or nil: deleted
	claimed   map[string]struct{}         // store keys that one of the requests has taken over
	providers map[string]*record.Provider // of services, put
	keys      map[string]struct{}         // all store keys that the transaction writes, once it is under way
	told      told                        // of the history
	ahead     *batch                      // of a transaction that is under way; nil: none is
}

// newBatch makes the batch of a transaction behind another one, or behind none.
func newBatch(ahead *flight) *batch {
	b := &batch{endpoints: map[string]*record.Endpoint{}, claimed: map[string]struct{}{}, providers: map[string]*record.Provider{}}
	if ahead != nil {
		b.ahead = ahead.batch
	}
	return b
}

// seal notes what the transaction writes, and forgets the transaction ahead, which is over long before anybody asks again.
func (b *batch) seal(ops []store.Op) {
	b.keys, b.ahead = make(map[string]struct{}, len(ops)), nil
	for _, op := range ops {
		b.keys[op.Key] = struct{}{}
	}
}

// clashes tells whether the request has asked for something that a transaction under way changes, or changes it too. It
// cannot be judged before that transaction is over.
func (t *Tx) clashes() bool {
	if t.batch.ahead == nil {
		return false
	}
	for op := range t.all {
		if _, taken := t.batch.ahead.keys[op.Key]; taken {
			return true
		}
	}
	return t.clash
}

// ahead tells whether the transaction under way has written key in what of chooses of it, and notes that the request
// depends on that.
func ahead[T any](t *Tx, of func(*batch) map[string]T, key string) bool {
	if t.batch.ahead == nil {
		return false
	}
	_, there := of(t.batch.ahead)[key]
	t.clash = t.clash || there
	return there
}

func endpointsOf(b *batch) map[string]*record.Endpoint { return b.endpoints }
func claimedOf(b *batch) map[string]struct{}           { return b.claimed }
func providersOf(b *batch) map[string]*record.Provider { return b.providers }
