package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/incarnation/stored"
	"github.com/contiv/contiv/daemon/master/adopt"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/daemon/task"
)

// incarnationEvery is how often netmaster reads a store that is not this cluster's.
const incarnationEvery = 2 * time.Second

// awaitMember waits until the member of the embedded store may start: its folder has what it had, or the other members expect a new one. A file system may be
// mounted late, and a snapshot may be restored meanwhile, so this does not end the process.
func (c *config) awaitMember(ctx context.Context, front *front, log *slog.Logger) error {
	if !c.Store.Embedded {
		return nil
	}
	c.Embedded.Mark = c.ClusterFile.MemberFile()
	c.Embedded.Trust = c.holder // which proves to the other members who asks
	return persist(ctx, front, log, func() error {
		known, err := c.ClusterFile.Read()
		if err != nil {
			return fmt.Errorf("%w: %w", stored.ErrAnother, err)
		}
		permitted, err := c.Embedded.Permit(ctx, known.Stored() != "")
		if err == nil {
			c.Embedded = permitted
		}
		return err
	})
}

// settle returns the incarnation of the store, and waits while the store is not the one that this host's cluster has, or does not answer.
func (c *config) settle(ctx context.Context, db store.Store, front *front, log *slog.Logger) (out record.Incarnation, err error) {
	o := stored.Options{NewStore: c.Embedded.NewStore, Alone: c.Store.Embedded && c.Embedded.Alone, Restored: c.Store.Embedded && c.Embedded.Restored, Random: rand.Text, Now: time.Now}
	err = persist(ctx, front, log, func() error {
		known, err := c.ClusterFile.Read()
		if err != nil {
			return fmt.Errorf("%w: %w", stored.ErrAnother, err)
		}
		if out, err = stored.Resolve(ctx, db, known, o); err != nil {
			return err
		}
		if known.Stored() != out.ID {
			log.Info("the store has the incarnation of this cluster", "incarnation", out.ID, "was", known.Stored(), "reason", out.Cause)
		}
		if err := c.ClusterFile.Write(incarnation.Known{Incarnation: out}); err != nil {
			log.Error("an empty store would not be recognised after a restart: make the file writable", "error", err)
		}
		return nil
	})
	c.Embedded.Alone, c.Embedded.Restored = false, false // which are for one start, and not for when the store is recreated later
	return out, err
}

// persist calls try until it succeeds, or ctx ends, while what hinders is that the store is not this cluster's, or away. The reason is logged when it changes,
// and is what netmaster says that it waits for.
func persist(ctx context.Context, front *front, log *slog.Logger, try func() error) error {
	tick := time.NewTicker(incarnationEvery)
	defer tick.Stop()
	for said := ""; ; {
		err := try()
		switch {
		case err == nil:
			front.waits("the store")
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, embedded.ErrLost) && !errors.Is(err, stored.ErrAnother) && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrNoSpace):
			return err
		}
		front.waits("its store: " + err.Error())
		if text := err.Error(); text != said {
			said = text
			log.Error("wait for the store of this cluster", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// incarnated ends netmaster's parts when the store gets another incarnation beneath them, with mirror.ErrReset, so that they start over.
func incarnated(known *catalog.Catalog, feed *catalog.Feed, now record.Incarnation) task.Task {
	return task.Func("incarnation of the store", func(ctx context.Context, ready func()) error {
		ready()
		select {
		case <-feed.Ready():
		case <-ctx.Done():
			return nil
		}
		sub := known.Subscribe()
		defer sub.Close()
		for range sub.Changes(ctx, incarnationEvery) {
			var text []byte
			known.View(func(v *catalog.View) { text = v.Value(record.IncarnationKey) })
			if got, err := record.ParseIncarnation(text); err != nil || got.ID != now.ID {
				return fmt.Errorf("%w: its incarnation was %s, and is %q now", mirror.ErrReset, now.ID, got.ID)
			}
		}
		return nil
	})
}

// roster is which hosts the store before had, as this host has noted it; nil where that is not known.
func (c *config) roster(self record.Incarnation, log *slog.Logger) []string {
	hosts, err := c.ClusterFile.Hosts(append([]string{self.ID}, self.Predecessors[:min(1, len(self.Predecessors))]...)...)
	if err != nil {
		log.Warn("which hosts the cluster had is not known: a store that was lost is adopted by those that come in time", "error", err)
	}
	return hosts
}

// rosterInterval is how often, at most, the hosts of the cluster are noted.
const rosterInterval = 5 * time.Second

// enrolled notes beside the incarnation which hosts the store has, once all of a store that follows another one have offered what they carry.
func enrolled(known *catalog.Catalog, feed *catalog.Feed, self record.Incarnation, file incarnation.File, log *slog.Logger) task.Task {
	return task.Func("roster of hosts", func(ctx context.Context, ready func()) error {
		ready()
		select {
		case <-feed.Ready():
		case <-ctx.Done():
			return nil
		}
		sub := known.Subscribe()
		defer sub.Close()
		for range sub.Changes(ctx, rosterInterval) {
			var hosts []string
			settled := false
			known.View(func(v *catalog.View) {
				settled = adopt.Finished(v, self)
				for _, h := range v.Hosts() {
					hosts = append(hosts, h.Label)
				}
			})
			if !settled {
				continue
			}
			if err := file.RecordHosts(self.ID, hosts); err != nil {
				log.Warn("which hosts the cluster has is not noted: a store that is lost would be waited for longer", "error", err)
			}
		}
		return nil
	})
}
