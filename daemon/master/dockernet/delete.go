// SPDX-License-Identifier: Apache-2.0

package dockernet

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// Delete deletes the record of a Docker network, and the network that was created for it, unless others use it, as soon as the last of its
// own endpoints is gone: containers that ended silently may have left some, until their engine proves it. Networks that agents keep in
// their engines are deleted with it.
func (s *Service) Delete(ctx context.Context, q model.DockerNetworkRemoval) (rev uint64, err error) {
	if len(q.Kept) > 0 {
		return s.release(ctx, q)
	}
	at, err := s.commit.InTurn(ctx, func(tx *commit.Tx) error { return s.delete(tx, q, true) })
	var e *model.Error
	if errors.As(err, &e) && e.Code == model.CodeInUse {
		at, err = s.commit.InTurn(ctx, func(tx *commit.Tx) error { return s.delete(tx, q, false) })
	}
	return uint64(at), err
}

// delete deletes a Docker network, with the network that was created for it unless that is in use.
func (s *Service) delete(tx *commit.Tx, q model.DockerNetworkRemoval, whole bool) error {
	d := tx.DockerNetwork(q.ID)
	if d == nil || q.Host != "" && d.Host != "" && d.Host != q.Host {
		return nil
	}
	if !whole && d.Made && hasEndpoints(tx.View, d) {
		if d.Gone {
			return nil
		}
		waits := *d
		waits.Gone = true
		return tx.Put(record.DockerNetworks+d.ID, &waits)
	}
	tx.Delete(record.DockerNetworks + d.ID)
	used := slices.ContainsFunc(tx.DockerNetworksOf(d.Network), func(o *record.DockerNetwork) bool { return !o.Managed })
	if !whole || !d.Made || tx.Network(d.Network) == nil || used {
		return nil
	}
	return s.admit.Remove(tx, model.KindNetwork(), model.Key(d.Network.Tenant, d.Network.Name))
}

// release deletes the records that earlier builds kept of networks that the agent of a host keeps itself. Other records under these ids stay.
func (s *Service) release(ctx context.Context, q model.DockerNetworkRemoval) (rev uint64, err error) {
	if len(q.Kept) > model.MaxKept || q.Host == "" {
		return 0, model.Errorf(model.CodeInvalid, "Kept", "got %d ids of host %q, want at most %d and the host", len(q.Kept), q.Host, model.MaxKept).
			Try("send the ids in several requests, each with Host")
	}
	at, err := s.commit.InTurn(ctx, func(tx *commit.Tx) error {
		for _, id := range q.Kept {
			if d := tx.DockerNetwork(id); d != nil && d.Managed && !d.Made && d.Host == q.Host {
				tx.Delete(record.DockerNetworks + id)
			}
		}
		return nil
	})
	return uint64(at), err
}

// hasEndpoints reports whether containers of a Docker network have endpoints.
func hasEndpoints(v *catalog.View, d *record.DockerNetwork) bool {
	n := v.Network(d.Network)
	return n != nil && slices.ContainsFunc(v.EndpointsOf(n), func(e *record.Endpoint) bool { return e.DockerNetwork == d.ID })
}

// finishInterval is the time between two checks of Finish.
const finishInterval = 2 * time.Second

// Finish deletes the Docker networks that are gone, each as soon as the last of its endpoints is, until ctx ends. It is a duty of the
// leader.
func (s *Service) Finish(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(finishInterval)
	defer tick.Stop()
	for {
		if err := s.finish(ctx); err != nil && ctx.Err() == nil {
			log.Warn("deleting Docker networks failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (s *Service) finish(ctx context.Context) error {
	var over []string
	s.catalog.View(func(v *catalog.View) {
		for _, d := range v.DockerNetworks() {
			if d.Gone && !hasEndpoints(v, d) {
				over = append(over, d.ID)
			}
		}
	})
	var errs []error
	for _, id := range over {
		_, err := s.Delete(ctx, model.DockerNetworkRemoval{ID: id})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
