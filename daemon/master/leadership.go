package main

import (
	"context"
	"time"

	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/master/commit"
)

// leadership shows the election to the server.
type leadership struct {
	election *cluster.Election
	commit   *commit.Committer
}

// Leader is the holder of the lock.
func (l leadership) Leader() string { return l.election.Holder().Address }

// Changed is closed when Leader next changes.
func (l leadership) Changed() <-chan struct{} { return l.election.Changed() }

// Leading reports whether this process may write.
func (l leadership) Leading() bool { return l.election.Holder().Self && l.commit.Active() }

// Term numbers this process's term.
func (l leadership) Term() uint64 {
	t, _ := l.election.Term()
	return uint64(t.Fence.Created)
}

// StepDown gives the lock back.
func (l leadership) StepDown(ctx context.Context, h cluster.Successor) error {
	return l.election.StepDown(ctx, h)
}

// Lock is the newest term that is known of, and who leads in it, "" once it has ended.
func (l leadership) Lock() (leader string, term uint64) {
	if h := l.election.Holder(); h.Address != "" {
		return h.Address, uint64(h.Created)
	}
	if terms := l.election.Terms(); len(terms) > 0 {
		term = uint64(terms[len(terms)-1].Fence.Created)
	}
	return "", term
}

// Since is when the present term began.
func (l leadership) Since() time.Time {
	terms := l.election.Terms()
	if len(terms) == 0 {
		return time.Time{}
	}
	return terms[len(terms)-1].Since
}
