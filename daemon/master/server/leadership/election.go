// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"context"
	"time"

	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/master/commit"
)

// Elected is the leadership of a netmaster that takes part in elections.
type Elected struct {
	Election *cluster.Election
	Commit   *commit.Committer
}

// Leader is the holder of the lock.
func (l Elected) Leader() string { return l.Election.Holder().Address }

// Changed is closed when Leader next changes.
func (l Elected) Changed() <-chan struct{} { return l.Election.Changed() }

// Leading reports whether this process may write.
func (l Elected) Leading() bool { return l.Election.Holder().Self && l.Commit.Active() }

// Term numbers this process's term.
func (l Elected) Term() uint64 {
	t, _ := l.Election.Term()
	return uint64(t.Fence.Created)
}

// StepDown gives the lock back.
func (l Elected) StepDown(ctx context.Context, h cluster.Successor) error {
	return l.Election.StepDown(ctx, h)
}

// Lock is the newest term that is known of, and who leads in it, "" once it has ended.
func (l Elected) Lock() (leader string, term uint64) {
	if h := l.Election.Holder(); h.Address != "" {
		return h.Address, uint64(h.Created)
	}
	if terms := l.Election.Terms(); len(terms) > 0 {
		term = uint64(terms[len(terms)-1].Fence.Created)
	}
	return "", term
}

// Since is when the present term began.
func (l Elected) Since() time.Time {
	terms := l.Election.Terms()
	if len(terms) == 0 {
		return time.Time{}
	}
	return terms[len(terms)-1].Since
}
