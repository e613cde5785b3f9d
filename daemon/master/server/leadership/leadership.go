// SPDX-License-Identifier: Apache-2.0

// Package leadership reports the leader, earlier leaders and the state of the store, and hands over the leadership on demand.
package leadership

import (
	"context"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/trust"
)

// Lock is the cluster's lock as this netmaster knows it. Its methods do not block, but for StepDown.
type Lock interface {
	Leader() string
	Leading() bool
	Term() uint64
	StepDown(ctx context.Context, h cluster.Successor) error
}

// Leadership is who leads, and the store behind that.
type Leadership struct {
	Lock     Lock
	Store    store.Store
	Catalog  *catalog.Catalog
	Commit   *commit.Committer
	Peers    *peer.Peers
	Internal string // own internal address, "host:port"
	// Master asks the netmaster at an address how it is.
	Master func(ctx context.Context, address string) model.Node
}

// Part returns the part of leadership.
func (s *Leadership) Part() part.Part {
	return part.Part{
		Routes: []func(*rest.Router){s.Register},
		Metrics: []prometheus.Collector{part.Gauge("leader", "1 while this netmaster leads.", func() float64 {
			if s.Lock.Leading() {
				return 1
			}
			return 0
		})},
	}
}

// Register adds the routes of leadership.
func (s *Leadership) Register(r *rest.Router) {
	r.Read("/api/v1/leadership", func(q *http.Request, _ httprouter.Params) (any, error) {
		return s.State(q.Context(), q.URL.Query().Get("brief") == "true"), nil
	}).Allow(rest.Needs(rights.Read, trust.Master, trust.Monitor))
	rest.Change(r, "/api/v1/leadership/handover", func(q *http.Request, request model.HandoverRequest) (model.Handover, uint64, error) {
		if request.To == "" && rest.Repeated(q) {
			return model.Handover{}, 0, model.Errorf(model.CodeConflict, "to", "the request was sent before, and may have been carried out").
				Try("netctl leader shows the leader; name the netmaster that is to lead, then the request may be repeated")
		}
		out, err := s.handOver(q.Context(), request.To)
		return out, 0, err
	}).Allow(rest.Needs(rights.HandOver, trust.Master)).Audit.Verb = "hand-over"
}

// State returns the state of the lock and of the store. It leaves out what it cannot read, and reports the reason.
// A brief answer has neither terms nor leases but the leader's.
func (s *Leadership) State(ctx context.Context, brief bool) model.Leadership {
	ctx, cancel := context.WithTimeout(ctx, 2*peer.Limit)
	defer cancel()
	out := model.Leadership{Key: record.LeaderKey, Terms: []model.LeaderTerm{}, Leases: []model.KeyLease{}, Store: model.StoreState{Name: s.Store.String()}}
	lacks := func(err error) {
		if err != nil && out.Reason == "" {
			out.Reason = err.Error()
		}
	}
	start := time.Now()
	lock, err := s.Store.Read(ctx, record.LeaderKey)
	out.Store.ReadMillis = millis(time.Since(start))
	if err == nil {
		out.Holder, out.Term = string(lock.Value), uint64(lock.Created)
	} else {
		lacks(err)
	}
	leases := []string{record.LeaderKey}
	if !brief {
		terms, err := cluster.History(ctx, s.Store, record.TermsKey)
		lacks(err)
		out.Terms = append(out.Terms, termsOf(terms)...)
		leases = append(leases, record.Services)
	}
	if o, ok := s.Store.(store.Observer); ok {
		lacks(observe(ctx, o, leases, &out))
	}
	return out
}

// termsOf gives each term the end that the next one's beginning is.
func termsOf(terms []cluster.Term) (out []model.LeaderTerm) {
	for i, t := range terms {
		if i > 0 {
			since := t.Since
			out[i-1].Until = &since
		}
		out = append(out, model.LeaderTerm{Number: uint64(t.Fence.Created), Leader: t.Leader, Since: t.Since, Why: t.Why})
	}
	return out
}

// observe adds the store's members and the leases of the keys under some prefixes.
func observe(ctx context.Context, o store.Observer, prefixes []string, out *model.Leadership) error {
	members, err := o.Members(ctx)
	if err != nil {
		return err
	}
	for _, m := range members {
		one := model.StoreMember{Name: m.Name, Address: m.Address, Leader: m.Leader, Version: m.Version, Bytes: m.Bytes, Millis: millis(m.Latency)}
		if m.Err != nil {
			one.Error = m.Err.Error()
		} else {
			one.InUse, one.Quota, one.Space = m.InUse, m.Quota, string(m.Space())
		}
		out.Store.Members = append(out.Store.Members, one)
	}
	for _, prefix := range prefixes {
		leases, err := o.Leases(ctx, prefix)
		if err != nil {
			return err
		}
		for _, l := range leases {
			out.Leases = append(out.Leases, model.KeyLease{Key: l.Key, Seconds: l.Granted.Seconds(), Left: l.Left.Seconds()})
		}
	}
	return nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
