package server

import (
	"context"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// leadership is the state of the lock and of the store. What cannot be had is left out, with the reason.
// A brief answer has neither terms nor leases but the leader's.
func (s *Server) leadership(ctx context.Context, brief bool) model.Leadership {
	ctx, cancel := context.WithTimeout(ctx, 2*askLimit)
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
		one := model.StoreMember{Name: m.Name, Address: m.Address, Leader: m.Leader, Version: m.Version, Bytes: m.Bytes, Millis: millis(m.Took)}
		if m.Err != nil {
			one.Error = m.Err.Error()
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
