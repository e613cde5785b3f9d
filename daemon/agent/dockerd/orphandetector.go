// SPDX-License-Identifier: Apache-2.0

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

// OwnerPrefix is the prefix of owners of attachments for Docker; an id of a network follows.
const OwnerPrefix = "docker/"

// Attacher is the part of *attach.Engine that an OrphanDetector needs.
type Attacher interface {
	// List returns all attachments.
	List() []attach.Attachment
	// Portless returns this host's attachments that only the store has: a crash has left no port of them.
	Portless() []record.Endpoint
	// Forsake detaches an interface, with a reason, unless a container may use it or a request for it is in progress. seen reports whether
	// this process sees those of containers.
	Forsake(ctx context.Context, container, ifname, why string, seen bool) (done bool, err error)
}

// OrphanDetector releases endpoints that the engine no longer has: those of containers that ended while Docker could not reach the agent,
// and those of an engine whose data was lost. The proof is two complete lists of one engine without the endpoint, some time apart, both
// requested after it was attached. An error proves nothing, and neither does silence.
type OrphanDetector struct {
	watcher *Watcher
	attach  Attacher
	driver  string
	log     *slog.Logger
	apart   time.Duration // between the two lists
	now     func() time.Time

	seen    map[string]time.Time // attachments, by id, and when this process first saw them
	missing map[string]absence   // by id
}

// absence is a list without an endpoint.
type absence struct {
	engine string
	began  time.Time
}

// proofApart is OrphanDetector.apart.
const proofApart = 30 * time.Second

// NewOrphanDetector returns an OrphanDetector of the networks of driver; Run works.
func NewOrphanDetector(w *Watcher, a Attacher, driver string, log *slog.Logger) *OrphanDetector {
	return &OrphanDetector{watcher: w, attach: a, driver: driver, log: log, apart: proofApart, now: time.Now,
		seen: map[string]time.Time{}, missing: map[string]absence{}}
}

// Run lists endpoints when the engine appears, and regularly, until ctx ends; then it returns nil.
func (p *OrphanDetector) Run(ctx context.Context) error {
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
			p.log.Warn("cannot determine which endpoints Docker no longer has; keeping all", "error", err)
		}
		p.rest(ctx, e)
	}
	return nil
}

// rest waits until the next list may complete a proof, or another engine appears.
func (p *OrphanDetector) rest(ctx context.Context, e Engine) {
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

// look lists the engine's endpoints, and releases those that it certainly does not have.
func (p *OrphanDetector) look(ctx context.Context, e Engine) error {
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

// docker returns the attachments for Docker, including those without a port.
func (p *OrphanDetector) docker() []attach.Attachment {
	out := slices.DeleteFunc(p.attach.List(), func(a attach.Attachment) bool { return !strings.HasPrefix(a.Owner, OwnerPrefix) })
	for _, ep := range p.attach.Portless() {
		if ep.DockerNetwork != "" {
			out = append(out, attach.Attachment{ContainerID: ep.ContainerID, IfName: ep.IfName, Owner: OwnerPrefix + ep.DockerNetwork, StateID: ep.ID.String()})
		}
	}
	return out
}

// attached returns the attachments for Docker. It deletes the records of former ones.
func (p *OrphanDetector) attached(now time.Time) (out []attach.Attachment) {
	seen, missing := map[string]time.Time{}, map[string]absence{}
	for _, a := range p.docker() {
		out = append(out, a)
		at, known := p.seen[a.StateID]
		switch {
		case !known:
			at = now
		case a.Since.After(at): // detached and attached again since then
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

func (p *OrphanDetector) release(ctx context.Context, e Engine, a *attach.Attachment, engine string) {
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
		p.log.Warn("endpoint missing in Docker not released yet", "endpoint", a.StateID, "error", err)
	case done:
		p.log.Info("released an endpoint missing in Docker", "endpoint", a.StateID, "id", engine)
		delete(p.missing, a.StateID)
	}
}
