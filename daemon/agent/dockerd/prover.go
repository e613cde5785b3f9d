package dockerd

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/record"
)

// OwnerPrefix begins the owners of what the door for Docker has attached; an id of a network follows.
const OwnerPrefix = "docker/"

// Attacher is the part of *attach.Engine that a Prover needs.
type Attacher interface {
	// List returns everything that is attached.
	List() []attach.Attachment
	// Portless returns what is attached to this host by the store alone: a crash has left no port of it.
	Portless() []record.Endpoint
	// Forsake detaches an interface, and tells why, unless a container may use it or a request for it is under way. seen says that this
	// process sees those of containers.
	Forsake(ctx context.Context, container, ifname, why string, seen bool) (done bool, err error)
}

// Prover releases endpoints that the engine no longer has: those of containers that ended while Docker could not tell the agent,
// and those of an engine whose data was lost. Proof are two complete lists of one engine without the endpoint, apart from each other,
// both begun after it was attached. An error proves nothing, and neither does silence.
type Prover struct {
	watcher *Watcher
	attach  Attacher
	driver  string
	log     *slog.Logger
	apart   time.Duration // between the two lists
	now     func() time.Time

	seen    map[string]time.Time // attachments, by id, and when this process knew of them
	missing map[string]absence   // by id
}

// absence is a list without an endpoint.
type absence struct {
	engine string
	began  time.Time
}

// proofApart is Prover.apart.
const proofApart = 30 * time.Second

// NewProver returns a Prover of the networks of driver; Run makes it live.
func NewProver(w *Watcher, a Attacher, driver string, log *slog.Logger) *Prover {
	return &Prover{watcher: w, attach: a, driver: driver, log: log, apart: proofApart, now: time.Now,
		seen: map[string]time.Time{}, missing: map[string]absence{}}
}

// Run looks when the engine appears, and from time to time, until ctx ends; then it returns nil.
func (p *Prover) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		changed := p.watcher.Changed()
		e, here := p.watcher.Engine()
		if !here {
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		if err := p.look(ctx, e); err != nil && ctx.Err() == nil {
			p.log.Warn("what Docker no longer has is not known for sure, and stays", "error", err)
		}
		p.rest(ctx, e)
	}
	return nil
}

// rest waits until the next list may complete a proof, or another engine is there.
func (p *Prover) rest(ctx context.Context, e Engine) {
	t := time.NewTimer(p.apart + p.apart/30)
	defer t.Stop()
	for {
		changed := p.watcher.Changed()
		if now, here := p.watcher.Engine(); !here || now != e {
			return
		}
		select {
		case <-changed:
		case <-t.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// look lists what the engine has, and releases what it has been proved not to have.
func (p *Prover) look(ctx context.Context, e Engine) error {
	began := p.now()
	attached := p.attached(began)
	if len(attached) == 0 {
		return nil
	}
	before, err := ask(ctx, p.watcher.pace.answer, e.Identity)
	if err != nil {
		return err
	}
	has, err := ask(ctx, p.watcher.pace.work, func(ctx context.Context) (map[string]struct{}, error) { return e.Endpoints(ctx, p.driver) })
	if err != nil {
		return err
	}
	after, err := ask(ctx, p.watcher.pace.answer, e.Identity)
	if err != nil {
		return err
	}
	if before.ID == "" || before.ID != after.ID {
		return fmt.Errorf("the engine called itself %q before it listed its containers, and %q after", before.ID, after.ID)
	}
	for _, a := range attached {
		if _, ok := has[a.ContainerID]; ok {
			delete(p.missing, a.StateID)
			continue
		}
		first, known := p.missing[a.StateID]
		switch {
		case !known || first.engine != before.ID:
			p.missing[a.StateID] = absence{before.ID, began}
		case began.Sub(first.began) >= p.apart:
			p.release(ctx, e, &a, before.ID)
		}
	}
	return nil
}

// docker are the attachments of Docker's, those without a port among them.
func (p *Prover) docker() []attach.Attachment {
	out := slices.DeleteFunc(p.attach.List(), func(a attach.Attachment) bool { return !strings.HasPrefix(a.Owner, OwnerPrefix) })
	for _, ep := range p.attach.Portless() {
		if ep.DockerNetwork != "" {
			out = append(out, attach.Attachment{ContainerID: ep.ContainerID, IfName: ep.IfName, Owner: OwnerPrefix + ep.DockerNetwork, StateID: ep.ID.String()})
		}
	}
	return out
}

// attached are the attachments of Docker's. What is gone is forgotten.
func (p *Prover) attached(now time.Time) (out []attach.Attachment) {
	seen, missing := map[string]time.Time{}, map[string]absence{}
	for _, a := range p.docker() {
		out = append(out, a)
		at, known := p.seen[a.StateID]
		switch {
		case !known:
			at = now
		case a.Since.After(at): // taken away and attached again since then
			at = a.Since
		}
		seen[a.StateID] = at
		if m, ok := p.missing[a.StateID]; ok && !m.began.Before(at) {
			missing[a.StateID] = m
		}
	}
	p.seen, p.missing = seen, missing
	return out
}

func (p *Prover) release(ctx context.Context, e Engine, a *attach.Attachment, engine string) {
	why := "Docker engine " + engine + " has no such endpoint, by two complete lists"
	done, err := ask(ctx, p.watcher.pace.work, func(ctx context.Context) (bool, error) {
		seen, err := e.Visible(ctx)
		if err != nil {
			return false, err
		}
		return p.attach.Forsake(ctx, a.ContainerID, a.IfName, why, seen)
	})
	switch {
	case err != nil:
		p.log.Warn("an endpoint that Docker does not have is not released yet", "endpoint", a.StateID, "error", err)
	case done:
		p.log.Info("released an endpoint that Docker does not have", "endpoint", a.StateID, "id", engine)
		delete(p.missing, a.StateID)
	}
}
