// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/membership"
	etcderrors "go.etcd.io/etcd/server/v3/etcdserver/errors"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/store/member"
)

// maxLearners bounds the members that join at the same time; it must be equal on all members.
const maxLearners = 8

// AddMember makes the cluster expect a member that serves others at a URL, and returns the peer URLs of all members by name. The member is
// a learner (it counts for no majority) until it has caught up. id is that of the member, in hexadecimal. A member that is already expected
// is success; a member of this name at another URL that has never started is replaced. AddMember blocks until a majority knows. Errors are
// *model.Error.
func (s *Server) AddMember(ctx context.Context, name, peerURL string) (peers map[string]string, id string, err error) {
	urls, err := types.NewURLs([]string{peerURL})
	if err != nil {
		return nil, "", model.Errorf(model.CodeInvalid, "master.peerURL", "%v", err).Try("give a URL like https://192.0.2.1:2380")
	}
	for _, m := range s.etcd.Server.Cluster().Members() {
		here := slices.Contains(m.PeerURLs, urls[0].String())
		switch {
		case here && m.Name == name:
			return s.Peers(), member.ID(uint64(m.ID)), nil
		case here:
			return nil, "", model.Errorf(model.CodeConflict, "master.peerURL", "member %s of the store serves others at %s", m.Name, peerURL).
				Try("give this host an address of its own, or, when that member is gone for good, have it leave: contiv leave %s", m.Name)
		case m.Name == name && !m.IsLearner:
			return nil, "", model.Errorf(model.CodeConflict, "master.name", "the store has a member %s, at %v", name, m.PeerURLs).
				Try("give this host a label of its own with --label, or, when that member is gone for good, have it leave: contiv leave %s", name)
		case m.Name == name:
			if err := s.remove(ctx, m); err != nil {
				return nil, "", err
			}
		}
	}
	now := time.Now()
	learner := membership.NewMemberAsLearner(name, urls, "", &now)
	err = healthy(ctx, func() error {
		_, err := s.etcd.Server.AddMember(ctx, *learner)
		return err
	})
	if err != nil {
		return nil, "", refusedChange(err)
	}
	return s.Peers(), member.ID(uint64(learner.ID)), nil
}

// MoveMember has the others reach a member at another peer URL; one that is reached there already is success. The member serves there
// once it is started so. It blocks until a majority knows. Errors are *model.Error.
func (s *Server) MoveMember(ctx context.Context, name, peerURL string) error {
	urls, err := types.NewURLs([]string{peerURL})
	if err != nil {
		return model.Errorf(model.CodeInvalid, "peerURL", "%v", err).Because(err).Try("give a URL like https://192.0.2.1:2380")
	}
	var own *membership.Member
	for _, m := range s.etcd.Server.Cluster().Members() {
		switch here := slices.Contains(m.PeerURLs, urls[0].String()); {
		case m.Name == name && here && len(m.PeerURLs) == 1:
			return nil
		case m.Name == name:
			own = m
		case here:
			return model.Errorf(model.CodeConflict, "peerURL", "member %s of the store serves others at %s", m.Name, peerURL).
				Try("give this host an address of its own, or, when that member is gone for good, have it leave: contiv leave %s", m.Name)
		}
	}
	if own == nil {
		return model.Errorf(model.CodeNotFound, "host", "the store has no member %s", name).Try("netctl leader shows the members of the store")
	}
	moved := *own
	moved.PeerURLs = urls.StringSlice()
	if _, err := s.etcd.Server.UpdateMember(ctx, moved); err != nil {
		return refusedChange(err)
	}
	return nil
}

// RemoveMember removes a member from the cluster permanently, and reports whether it existed. It is refused if the rest would have no
// working majority. It blocks until a majority knows. Errors are *model.Error.
func (s *Server) RemoveMember(ctx context.Context, name string) (was bool, err error) {
	voters, found := 0, (*membership.Member)(nil)
	for _, m := range s.etcd.Server.Cluster().Members() {
		if m.Name == name {
			found = m
		}
		if !m.IsLearner {
			voters++
		}
	}
	switch {
	case found == nil:
		return false, nil
	case voters == 1 && !found.IsLearner:
		return true, model.Errorf(model.CodeInUse, "master", "%s is the last member of the store", name).Try("add another netmaster first: contiv token create --master")
	}
	return true, s.remove(ctx, found)
}

// Count returns the number of members of the store.
func (s *Server) Count() int { return len(s.etcd.Server.Cluster().Members()) }

// Presence connects to the address at which a member serves others, and reports whether it runs. It blocks for at most three seconds.
func (s *Server) Presence(ctx context.Context, name string) member.Presence {
	for _, m := range s.etcd.Server.Cluster().Members() {
		if m.Name == name && len(m.PeerURLs) > 0 {
			return member.Look(ctx, m.PeerURLs[0])
		}
	}
	return member.Presence{Evidence: "the store has no member " + name}
}

// remove removes a member; an absent member is success.
func (s *Server) remove(ctx context.Context, m *membership.Member) error {
	err := healthy(ctx, func() error {
		_, err := s.etcd.Server.RemoveMember(ctx, uint64(m.ID))
		return err
	})
	if err == nil || errors.Is(err, membership.ErrIDRemoved) || errors.Is(err, membership.ErrIDNotFound) {
		return nil
	}
	return refusedChange(err)
}

// Times of a change of members. The server requires that all of them have been connected for etcdserver.HealthInterval.
const (
	healthTimeout = etcdserver.HealthInterval + time.Second
	healthPause   = 200 * time.Millisecond
)

// healthy retries a change that the server refuses because members have not been connected for long enough.
func healthy(ctx context.Context, change func() error) error {
	timeout := time.After(healthTimeout)
	for {
		err := change()
		if !errors.Is(err, etcderrors.ErrUnhealthy) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-timeout:
			return err
		case <-time.After(healthPause):
		}
	}
}

// Peers returns the peer URLs of all members by name.
func (s *Server) Peers() map[string]string {
	out := map[string]string{}
	for _, m := range s.etcd.Server.Cluster().Members() {
		if len(m.PeerURLs) > 0 {
			out[m.Name] = m.PeerURLs[0]
		}
	}
	return out
}

// refusedChange returns the error of a change of members that the cluster refuses.
func refusedChange(err error) error {
	switch {
	case errors.Is(err, etcderrors.ErrUnhealthy), errors.Is(err, etcderrors.ErrNotEnoughStartedMembers):
		return model.Errorf(model.CodeNotReady, "master", "without a member that does not answer now the store would have no majority: %v", err).Because(err).
			Try("repeat it when all members answer: netctl leader shows them")
	case errors.Is(err, membership.ErrTooManyLearners):
		return model.Errorf(model.CodeNotReady, "master", "%d members of the store are joining the cluster", maxLearners).Because(err).
			Try("wait until they have joined, or remove those that never will: contiv leave NAME")
	}
	return model.Errorf(model.CodeUnavailable, "master", "the store's members cannot be changed: %v", err).Because(err).Try("repeat it; netctl leader shows the members")
}

// Times of learners.
const (
	promoteInterval = 500 * time.Millisecond
	promoteTimeout  = 2 * time.Second
)

// promote makes learners that have caught up voting members, while this member leads the cluster. It blocks until ctx ends.
func (s *Server) promote(ctx context.Context) {
	tick := time.NewTicker(promoteInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s.etcd.Server.Leader() != s.etcd.Server.MemberID() {
			continue
		}
		for _, m := range s.etcd.Server.Cluster().Members() {
			if m.IsLearner {
				within, cancel := context.WithTimeout(ctx, promoteTimeout)
				_, _ = s.etcd.Server.PromoteMember(within, uint64(m.ID)) // a learner that has not caught up is retried
				cancel()
			}
		}
	}
}

// begin starts the background tasks of a server, which run until it is closed.
func (s *Server) begin(c *Config, own member.Mark, hook *cutHook) {
	ctx, end := context.WithCancel(context.Background())
	s.end = end
	go s.promote(ctx)
	go s.marker.run(ctx, func() member.Position { return position(s.etcd.Server) })
	go func() {
		select {
		case err := <-s.etcd.Err():
			s.failed <- c.ended(ctx, err)
		case <-s.etcd.Server.StopNotify():
			if ctx.Err() == nil { // nobody has closed it
				s.failed <- c.ended(ctx, errStopped)
			}
		case found := <-hook.found:
			s.failed <- c.recordLoss(own, found)
		case <-ctx.Done():
		}
	}()
}

// admitted blocks while waits reports true, for example until a joining member counts for the majority: before that it serves no requests.
func admitted(ctx context.Context, waits func() bool) error {
	tick := time.NewTicker(promoteInterval / 5)
	defer tick.Stop()
	for waits() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}
