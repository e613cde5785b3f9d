package server

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

const (
	handoverLimit = 10 * time.Second // for the other to accept writes
	heirCatchUp   = time.Second      // for a follower to know all that the leader knows
	heirPoll      = 5 * time.Millisecond
)

// mountHandover adds that the leader hands over on demand.
func (s *Server) mountHandover(r *rest.Router) {
	r.POST("/api/v1/leadership/handover", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		var request model.HandoverRequest
		if err := rest.ReadJSON(q.Body, &request); err != nil {
			rest.Refuse(w, q, err, s.Log)
			return
		}
		if request.To == "" && q.Header.Get(model.RepeatHeader) != "" {
			rest.Refuse(w, q, model.Errorf(model.CodeConflict, "to", "the request was sent before, and may have been carried out").
				Try("netctl leader tells who leads; name the one that is to lead, then the request may be repeated"), s.Log)
			return
		}
		out, err := s.handOver(q.Context(), request.To, actorOf(q))
		rest.Answer(w, q, out, 0, err, s.Log)
	})
}

// handOver ends this master's term in favour of another, and returns when that one accepts writes.
func (s *Server) handOver(ctx context.Context, want string, by model.Actor) (model.Handover, error) {
	term := s.Leadership.Term()
	if term == 0 {
		return model.Handover{}, model.Errorf(model.CodeUnavailable, "", "%s does not lead", s.Internal).Try("repeat the request")
	}
	if want == s.Internal || want == hostOf(s.Internal) {
		return model.Handover{From: s.Internal, To: s.Internal}, nil
	}
	to, err := s.heir(ctx, want)
	if err != nil {
		return model.Handover{}, err
	}
	heir := cluster.Heir{From: s.Internal, To: to, Term: store.Revision(term), By: by.String()}
	if _, err := s.Commit.Do(commit.By(ctx, by), func(tx *commit.Tx) error { return tx.Put(record.HeirKey, heir) }); err != nil {
		return model.Handover{}, err
	}
	begin := time.Now()
	// The term is ended even if nobody waits for the answer any more: half a handover helps nobody.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handoverLimit)
	defer cancel()
	if err := s.Leadership.StepDown(ctx, heir); err != nil {
		return model.Handover{}, model.Errorf(model.CodeUnavailable, "", "%s did not hand over: %v", s.Internal, err).Because(err).Try("netctl leader tells who leads")
	}
	for {
		leader := s.Leadership.Leader()
		if leader != "" && leader != s.Internal && s.master(ctx, leader).Role == model.RoleLeader {
			return model.Handover{From: s.Internal, To: leader, Millis: millis(time.Since(begin))}, nil
		}
		select {
		case <-ctx.Done():
			return model.Handover{}, model.Errorf(model.CodeUnavailable, "", "%s stepped down, and nobody leads after %s", s.Internal, handoverLimit).
				Try("netctl leader tells who leads; netctl node ls why the others do not")
		case <-time.After(heirPoll):
		}
	}
}

// heir chooses the follower that is to lead: the one that is wanted, by name or address, or of all the one that knows
// most. It must be ready and know all that this master knows, at once or within heirCatchUp.
func (s *Server) heir(ctx context.Context, want string) (address string, err error) {
	known := uint64(s.Catalog.Revision())
	ctx, cancel := context.WithTimeout(ctx, heirCatchUp)
	defer cancel()
	for {
		followers := s.followers(ctx)
		if want != "" {
			followers = slices.DeleteFunc(followers, func(n model.Node) bool { return want != n.Address && want != n.Name })
		}
		if len(followers) == 0 {
			return "", s.nobody(want)
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
		case <-time.After(10 * heirPoll):
		}
	}
}

func fit(n model.Node) int {
	if n.Ready {
		return 1
	}
	return 0
}

// nobody says why there is no such follower.
func (s *Server) nobody(want string) error {
	if want == "" {
		return model.Errorf(model.CodeNotReady, "to", "there is no other netmaster to hand over to").Try("start a second one; nothing has been changed")
	}
	return model.Errorf(model.CodeNotFound, "to", "no netmaster is called %q", want).Try("netctl leader shows them; nothing has been changed")
}

// followers asks all other masters how they are.
func (s *Server) followers(ctx context.Context) (out []model.Node) {
	var others []record.Service
	s.Catalog.View(func(v *catalog.View) { others = v.Services(record.ServiceMaster) })
	for _, m := range others {
		if at := address(m); at != s.Internal {
			out = append(out, s.master(ctx, at))
		}
	}
	return out
}
