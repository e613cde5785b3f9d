// SPDX-License-Identifier: Apache-2.0

// Package membership decides which machines are hosts of the cluster, and which daemons prove that they belong to it. An Enroller manages the
// tokens with which hosts join, and issues, renews and revokes certificates of the cluster's authority. A Registrar admits machines as hosts,
// one each, and an AgentController records whose agents run.
package membership

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/store/member"
	"github.com/contiv/contiv/trust"
)

// EnrollerConfig configures an Enroller.
type EnrollerConfig struct {
	Commit  *commit.Committer
	Catalog *catalog.Catalog
	// Trust is the directory of the authority and its key; "": the cluster is insecure, and nothing is certified.
	Trust trust.Dir
	// Members are those of an embedded store; nil: the store is another one.
	Members Members
	// Review returns the node of a pod with an agent, from the pod's service account token; nil: netmaster does not use Kubernetes. It
	// blocks until Kubernetes has answered. Errors are *model.Error.
	Review func(ctx context.Context, token string) (node string, err error)
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger
}

// Members is the membership of an embedded store. Its methods may be repeated, and block until the store has the change.
type Members interface {
	// AddMember makes the store expect a member that serves others at a URL, and returns the peer URLs of all members by name,
	// including the new one, and its id.
	AddMember(ctx context.Context, name, peerURL string) (peers map[string]string, id string, err error)
	// MoveMember makes the store reach a member at another peer URL.
	MoveMember(ctx context.Context, name, peerURL string) error
	// Peers returns the peer URLs of all members by name.
	Peers() map[string]string
	// RemoveMember removes a member permanently, and reports whether it existed. It is refused if the others could not continue.
	RemoveMember(ctx context.Context, name string) (bool, error)
	// Count returns the number of members.
	Count() int
	// Presence connects to a member's peer URL, and reports whether it runs. It blocks for a few seconds at most.
	Presence(ctx context.Context, name string) member.Presence
}

// Enroller is used by the leader only. Its methods are safe for concurrent use.
type Enroller struct{ EnrollerConfig }

// NewEnroller returns an Enroller.
func NewEnroller(c EnrollerConfig) *Enroller {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Enroller{c}
}

// now returns the time in the precision of records.
func (e *Enroller) now() time.Time { return e.Now().UTC().Truncate(time.Second) }

// authority reads the authority with its current key. Errors are *model.Error.
func (e *Enroller) authority() (*trust.Authority, error) {
	if e.Trust == "" {
		return nil, model.Errorf(model.CodeUnsupported, "", "the cluster is insecure: no one has to prove who they are").
			Try("hosts of it join by being started with --insecure; contiv init makes a secured cluster")
	}
	a, err := e.Trust.Authority()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, model.Errorf(model.CodeNotReady, "", "the leading netmaster has no key of the cluster's authority: %v", err).Because(err).
			Try("copy %s from another netmaster's host, or replace certificates by hand where the authority is not Contiv's own", e.Trust.KeyFile())
	case err != nil:
		return nil, model.Errorf(model.CodeInternal, "", "the authority cannot be used: %v", err).Because(err)
	}
	return a, nil
}

// requester names the requester for records: the authenticated identity, or else the claimed actor.
func requester(ctx context.Context, proved trust.Identity) string {
	if proved.Role != "" {
		return proved.String()
	}
	return commit.Actor(ctx).String()
}
