// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Forget removes the machine of a host, so that another may be that host, and with release the host's endpoints. It is refused while the
// agent runs, except for endpoints that another machine than the running one has left there, which release deletes.
func (s *Service) Forget(ctx context.Context, host string, release bool) (model.Forgotten, uint64, error) {
	out := model.Forgotten{Host: host, Freed: []string{}, Endpoints: []string{}}
	var left []record.Endpoint
	rev, err := s.commit.Do(ctx, func(tx *commit.Tx) error {
		if release {
			if err := s.held(tx.View); err != nil {
				return err
			}
		}
		left = left[:0]
		was, runs := tx.Host(host), tx.Running(host)
		for m := range tx.Members {
			if m.Host == host && !(runs && (m.Machine == "" || was == nil || m.Machine == was.Machine)) {
				left = append(left, *m.Endpoint)
			}
		}
		switch {
		case runs && !(release && len(left) > 0):
			return model.Errorf(model.CodeInUse, "host", "the agent of host %s runs", host).
				Try("stop netplugin there first; an agent that was killed counts as running for ten seconds")
		case runs:
			return nil
		case was == nil && len(left) == 0:
			return model.Errorf(model.CodeNotFound, "host", "no machine has the host label %s", host).Try("netctl node ls shows the hosts")
		case was == nil:
			return nil
		}
		out.Machine, out.Freed = was.Machine, was.Claims()
		tx.Delete(record.Hosts + host)
		return nil
	})
	if err != nil {
		return model.Forgotten{}, 0, err
	}
	for _, e := range left {
		if !release {
			out.Endpoints = append(out.Endpoints, e.ID.String())
			continue
		}
		done, err := s.forsake(commit.Because(ctx, "host "+host+" was forgotten"), &e)
		if err != nil {
			return out, 0, err
		}
		if rev = max(rev, done); done > 0 {
			out.Released++
		}
	}
	s.log.Info("host forgotten", "host", host, "machine", out.Machine, "freed", out.Freed, "endpoints", len(out.Endpoints), "released", out.Released)
	return out, uint64(rev), nil
}

// forsake deletes an endpoint of a forgotten host, unless another host has taken it over.
func (s *Service) forsake(ctx context.Context, was *record.Endpoint) (rev store.Revision, err error) {
	gone := false
	rev, err = s.commit.Join(ctx, func(tx *commit.Tx) error {
		e := tx.Endpoint(was.ID)
		if gone = e != nil && e.Host == was.Host && e.Machine == was.Machine; !gone {
			return nil
		}
		return s.remove(tx, e)
	})
	if err != nil || !gone {
		return 0, err
	}
	return rev, nil
}
