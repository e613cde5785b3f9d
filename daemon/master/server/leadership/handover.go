// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

const (
	handoverTimeout  = 10 * time.Second // for the other to accept writes
	successorCatchUp = time.Second      // for a follower to know all that the leader knows
	successorPoll    = 5 * time.Millisecond
)

// handOver ends this master's term in favour of another, and returns when that one accepts writes.
func (s *Leadership) handOver(ctx context.Context, want string) (model.Handover, error) {
	term := s.Lock.Term()
	if term == 0 {
		return model.Handover{}, model.Errorf(model.CodeUnavailable, "", "%s does not lead", s.Internal).Try("repeat the request")
	}
	want = s.named(want)
	if want == s.Internal || want == peer.Host(s.Internal) {
		return model.Handover{From: s.Internal, To: s.Internal}, nil
	}
	to, err := s.successor(ctx, want)
	if err != nil {
		return model.Handover{}, err
	}
	successor := cluster.Successor{From: s.Internal, To: to, Term: store.Revision(term), By: commit.Actor(ctx).String()}
	if _, err := s.Commit.Do(ctx, func(tx *commit.Tx) error { return tx.Put(record.SuccessorKey, successor) }); err != nil {
		return model.Handover{}, err
	}
	begin := time.Now()
	// The term ends even if the client has gone: half a handover helps no one.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handoverTimeout)
	defer cancel()
	if err := s.Lock.StepDown(ctx, successor); err != nil {
		return model.Handover{}, model.Errorf(model.CodeUnavailable, "", "%s did not hand over: %v", s.Internal, err).Because(err).Try("netctl leader shows the leader")
	}
	for {
		leader := s.Lock.Leader()
		if leader != "" && leader != s.Internal && s.Master(ctx, leader).Role == model.RoleLeader {
			return model.Handover{From: s.Internal, To: leader, Millis: millis(time.Since(begin))}, nil
		}
		select {
		case <-ctx.Done():
			return model.Handover{}, model.Errorf(model.CodeUnavailable, "", "%s stepped down, and no netmaster leads after %s", s.Internal, handoverTimeout).
				Try("netctl leader shows the leader, and netctl node ls why the others do not lead")
		case <-time.After(successorPoll):
		}
	}
}

// named is the address "HOST:PORT" of the netmaster on the host of a label, and any other name as it is.
func (s *Leadership) named(want string) string {
	s.Catalog.View(func(v *catalog.View) {
		h := v.Host(want)
		if h == nil {
			return
		}
		for _, m := range v.Services(record.ServiceMaster) {
			if m.HostAddr == h.Control.Addr().String() {
				want = peer.Address(m)
			}
		}
	})
	return want
}

// successor returns the address of the follower that is to lead: the one that want names, by name or address, or for "" the one with the
// newest revision. It must be ready and know all that this master knows, at once or within successorCatchUp.
func (s *Leadership) successor(ctx context.Context, want string) (address string, err error) {
	known := uint64(s.Catalog.Revision())
	ctx, cancel := context.WithTimeout(ctx, successorCatchUp)
	defer cancel()
	for {
		followers := s.followers(ctx)
		if want != "" {
			followers = slices.DeleteFunc(followers, func(n model.Node) bool { return want != n.Address && want != n.Name })
		}
		if len(followers) == 0 {
			return "", s.noSuccessor(want)
		}
		best := slices.MaxFunc(followers, func(a, b model.Node) int {
			return cmp.Or(cmp.Compare(fit(a), fit(b)), cmp.Compare(a.Revision, b.Revision), strings.Compare(b.Address, a.Address))
		})
		if best.Ready && best.Revision >= known {
			return best.Address, nil
		}
		select {
		case <-ctx.Done():
			why := best.Reason
			if best.Ready || why == "" {
				why = fmt.Sprintf("it is at revision %d of %d", best.Revision, known)
			}
			return "", model.Errorf(model.CodeNotReady, "to", "%s cannot lead now: %s", best.Address, why).
				Try("wait until netctl leader shows it ready, or name another; nothing has been changed")
		case <-time.After(10 * successorPoll):
		}
	}
}

func fit(n model.Node) int {
	if n.Ready {
		return 1
	}
	return 0
}

// noSuccessor is the refusal if no follower has the name want, or for "" if there is no follower.
func (s *Leadership) noSuccessor(want string) error {
	if want == "" {
		return model.Errorf(model.CodeNotReady, "to", "there is no other netmaster to hand over to").Try("start a second one; nothing has been changed")
	}
	return model.Errorf(model.CodeNotFound, "to", "no netmaster is called %q", want).Try("netctl leader shows them; nothing has been changed")
}

// followers asks all other masters how they are.
func (s *Leadership) followers(ctx context.Context) (out []model.Node) {
	for _, at := range s.Peers.Masters() {
		if at != s.Internal {
			out = append(out, s.Master(ctx, at))
		}
	}
	return out
}
