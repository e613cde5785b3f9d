// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
)

// Agreement is an object of Kubernetes by which the netmasters of a cluster agree on one embedded store. The netmaster that creates the object
// founds the store; a netmaster with an empty directory that finds the object joins the store that it names, or waits. While Kubernetes does
// not answer, an empty directory stays empty: a store that exists may be unreachable now. A netmaster whose directory has data never waits
// for an agreement. A nil Agreement leaves each decision to the directory.
type Agreement struct{ Object *kube.ConfigMap }

// ErrUndecided means that it is undecided, or not known, whether the cluster has a store. A later attempt may succeed. The error's text has
// the remedy.
var ErrUndecided = errors.New("the cluster's store is not known")

// Keys of an Agreement.
const (
	founderKey     = "founder"     // name of the member that founds the store
	incarnationKey = "incarnation" // of the store; absent: the store does not exist yet
	memberKey      = "member."     // and a name: the URL at which that member serves clients
)

// netmasters is the label of the pods of netmasters.
const netmasters = "app.kubernetes.io/name=netmaster"

// agreed is the content of an Agreement.
type agreed struct {
	founder, incarnation string
	members              map[string]string // client URLs by name
}

func parseAgreement(data map[string]string) agreed {
	out := agreed{founder: data[founderKey], incarnation: data[incarnationKey], members: map[string]string{}}
	for k, url := range data {
		if name, ok := strings.CutPrefix(k, memberKey); ok {
			out.members[name] = url
		}
	}
	return out
}

func (s *agreed) data() map[string]string {
	out := map[string]string{founderKey: s.founder, incarnationKey: s.incarnation}
	for name, url := range s.members {
		out[memberKey+name] = url
	}
	return out
}

// decide returns the configuration with which a member may start, as far as the agreement decides it, and whether the store is known to exist:
// began, or by the agreement. Permit decides the rest. It blocks for the API server and, if the member joins a store, for that store.
func (a *Agreement) decide(ctx context.Context, e embedded.Config, began bool) (embedded.Config, bool, error) {
	if a == nil || e.NewStore || e.Alone { // the operator has decided
		return e, began, nil
	}
	if empty, err := e.Empty(); err != nil || !empty {
		return e, began, nil
	}
	served, err := e.Served()
	if err != nil {
		return e, began, err
	}
	began = began || served
	configured := len(e.InitialCluster) > 0
	at, err := a.Object.Read(ctx)
	switch {
	case errors.Is(err, kube.ErrAbsent) && (began || configured):
		return e, began, nil
	case errors.Is(err, kube.ErrAbsent):
		return e, began, a.found(ctx, e.Name)
	case err != nil:
		return e, began, fmt.Errorf("%w: %s is empty, and Kubernetes does not answer whether the cluster has a store: %w", ErrUndecided, e.Dir, err)
	}
	s := parseAgreement(at.Data)
	if s.incarnation == "" {
		if s.founder == e.Name || configured {
			return e, began, nil
		}
		return e, began, fmt.Errorf("%w: netmaster of node %s is to create it, by %s: wait for that netmaster; or, when that node is gone for good, delete the ConfigMap", ErrUndecided, s.founder, a.Object)
	}
	delete(s.members, e.Name)
	switch {
	case len(s.members) == 0: // this host had the store
		return e, true, nil
	case configured:
		e.Existing = true
		return e, began, nil
	}
	joined, err := e.Join(ctx, slices.Sorted(maps.Values(s.members)))
	if err != nil && !errors.Is(err, embedded.ErrLost) {
		err = fmt.Errorf("%w: %s is empty, and the store that %s names does not accept this member now: %w", ErrUndecided, e.Dir, a.Object, err)
	}
	return joined, began, err
}

// found creates the agreement for this member. A netmaster that serves without an agreement, of a build that made none, has a store: found refuses.
func (a *Agreement) found(ctx context.Context, name string) error {
	nodes, err := a.Object.ReadyNodes(ctx, netmasters)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUndecided, err)
	}
	if others := slices.DeleteFunc(nodes, func(n string) bool { return n == name }); len(others) > 0 {
		return fmt.Errorf("%w: netmaster of node %s has a store and has not recorded it in %s yet: if it is of an earlier build, upgrade it", ErrUndecided, others[0], a.Object)
	}
	if err := a.Object.Create(ctx, map[string]string{founderKey: name}); err != nil {
		return fmt.Errorf("%w: %w", ErrUndecided, err)
	}
	return nil
}

// explain adds a remedy to the error about a store that only the agreement knows.
func (a *Agreement) explain(err error, only bool) error {
	if a == nil || !only || !errors.Is(err, embedded.ErrLost) {
		return err
	}
	return fmt.Errorf("%w; or, when Contiv was removed from this cluster and is installed again, delete %s", err, a.Object)
}

// record records the store and its members in the agreement. It refuses, with ErrAnother, an agreement of a store that this one does not follow.
func (a *Agreement) record(ctx context.Context, name string, of record.Incarnation, members map[string]string) error {
	at, err := a.Object.Read(ctx)
	absent := errors.Is(err, kube.ErrAbsent)
	if err != nil && !absent {
		return err
	}
	was := parseAgreement(at.Data)
	if record.RelationOf(was.incarnation, &of) == record.Another {
		return fmt.Errorf("%w: %s names incarnation %s, and this netmaster's store is %s: two stores serve this cluster; remove the one that is wrong, "+
			"or, if this one is right, delete the ConfigMap", ErrAnother, a.Object, was.incarnation, of.ID)
	}
	now := agreed{founder: cmp.Or(was.founder, name), incarnation: of.ID, members: members}
	switch data := now.data(); {
	case absent:
		return a.Object.Create(ctx, data)
	case !maps.Equal(data, at.Data):
		return a.Object.Update(ctx, at, data)
	}
	return nil
}

// agreementInterval is the time between two records of a store in its agreement.
const agreementInterval = 30 * time.Second

// Part returns the part that records a store with an incarnation in the agreement, so that other netmasters join it. name is that of this member.
func (a *Agreement) Part(db store.Store, name string, of record.Incarnation, log *slog.Logger) part.Part {
	own, ok := db.(interface{ ClientURLs() map[string]string })
	if a == nil || !ok {
		return part.Part{}
	}
	return part.Runs(part.Started("agreement of the store", func(ctx context.Context) error {
		tick := time.NewTicker(agreementInterval)
		defer tick.Stop()
		for logged := ""; ; {
			text := ""
			if err := a.record(ctx, name, of, own.ClientURLs()); err != nil && !errors.Is(err, kube.ErrChanged) && ctx.Err() == nil {
				text = err.Error()
				if text != logged {
					log.Error("the store is not recorded in Kubernetes: new netmasters do not join it", "error", err)
				}
			}
			logged = text
			select {
			case <-tick.C:
			case <-ctx.Done():
				return nil
			}
		}
	}))
}
