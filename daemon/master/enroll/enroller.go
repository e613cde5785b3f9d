// Package enroll decides who becomes part of the cluster: tokens by which hosts join, the certificates that its authority issues and renews, and which
// of them count no more.
package enroll

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

// Config is what an Enroller is made of.
type Config struct {
	Commit  *commit.Committer
	Catalog *catalog.Catalog
	// Trust is the folder with the authority and its key; "": the cluster is insecure, and nothing is certified.
	Trust trust.Dir
	// Members are those of the store when it is embedded; nil: it is another.
	Members Members
	// Review says on which node a pod with an agent runs, by the pod's service account token; nil: Kubernetes is not read. It blocks until Kubernetes has
	// answered. Errors are *model.Error.
	Review func(ctx context.Context, token string) (node string, err error)
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger
}

// Members is the membership of an embedded store. Its methods may be repeated, and block until the store has the change.
type Members interface {
	// AddMember has the store expect a member, which is to serve the others at a URL, and returns the peer URLs of all by their names, the new one
	// among them, and its id.
	AddMember(ctx context.Context, name, peerURL string) (peers map[string]string, id string, err error)
	// RemoveMember removes a member for good, and reports whether there was one. It is refused when the others could not continue.
	RemoveMember(ctx context.Context, name string) (bool, error)
	// Count is how many members there are.
	Count() int
	// Presence connects to where a member serves the others, and reports whether it runs. It blocks for seconds at most.
	Presence(ctx context.Context, name string) member.Presence
}

// Enroller is used by the leader alone. Its methods are safe for concurrent use.
type Enroller struct{ Config }

// New makes an Enroller.
func New(c Config) *Enroller {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Enroller{c}
}

// now is the time as records have it.
func (e *Enroller) now() time.Time { return e.Now().UTC().Truncate(time.Second) }

// authority reads the authority with its key, as it is now. Errors are *model.Error.
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

// requester is who asks, for records: as proved, or else as claimed.
func requester(ctx context.Context, proved trust.Identity) string {
	if proved.Role != "" {
		return proved.String()
	}
	return commit.Actor(ctx).String()
}
