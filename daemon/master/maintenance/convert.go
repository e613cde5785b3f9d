// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
)

// RecordStore is the part of a store.Store that Convert needs.
type RecordStore interface {
	List(ctx context.Context, prefix string) ([]store.Item, store.Revision, error)
	Commit(ctx context.Context, tx *store.Tx) (store.Revision, error)
	Limits() store.Limits
}

// Convert moves all records of earlier builds to their current keys, for a new leader: earlier builds used ids of the original's forms,
// "network.tenant" and the like, which two objects may share. It also creates hosts from what agents of earlier builds wrote into the store
// themselves. Netmasters must be upgraded first. Each transaction is under the fence and leaves an equivalent store. Convert blocks
// until all is done, and returns the revision of the last one, 0 if there was nothing to do. An unreadable record is logged and stays;
// agents have reported it before.
func Convert(ctx context.Context, db RecordStore, fence store.Fence, log *slog.Logger) (store.Revision, error) {
	c := &converter{db: db, fence: fence, log: log, networks: map[string]identity.Network{}}
	for _, step := range []struct {
		from, to string
		id       func(value []byte) (string, error)
	}{
		{record.LegacyNetworks, record.Networks, c.network},
		{record.LegacyGroups, record.Groups, idOf(func(g *record.Group) fmt.Stringer { return g.ID })},
		{record.LegacyServiceLBs, record.ServiceLBs, idOf(func(s *record.ServiceLB) fmt.Stringer { return s.ID })},
		{record.LegacyProviders, record.Providers, idOf(func(p *record.Provider) fmt.Stringer { return p.ID })},
		{record.LegacyEndpoints, record.Endpoints, idOf(func(e *record.Endpoint) fmt.Stringer { return e.ID })},
	} {
		err := c.move(ctx, step.from, func(it store.Item) (store.Item, error) {
			id, err := step.id(it.Value)
			return store.Item{Key: step.to + id, Value: it.Value}, err
		})
		if err != nil {
			return 0, err
		}
	}
	items, _, err := db.List(ctx, record.Networks) // with those of an interrupted run
	if err != nil {
		return 0, fmt.Errorf("convert %s: %w", catalog.HoldPrefix, err)
	}
	for _, it := range items {
		if _, err := c.network(it.Value); err != nil {
			log.Error("malformed network", "key", it.Key, "error", err)
		}
	}
	if err := c.move(ctx, catalog.HoldPrefix, c.hold); err != nil {
		return 0, err
	}
	err = c.hosts(ctx)
	return c.last, err
}

type converter struct {
	db       RecordStore
	fence    store.Fence
	log      *slog.Logger
	networks map[string]identity.Network // by the original's names
	last     store.Revision              // of the last transaction
}

// idOf returns a function that reads the object of a record.
func idOf[R any](id func(*R) fmt.Stringer) func(value []byte) (string, error) {
	return func(value []byte) (string, error) {
		r := new(R)
		err := json.Unmarshal(value, r)
		return id(r).String(), err
	}
}

// network is idOf for networks, which are remembered for the holds of their addresses.
func (c *converter) network(value []byte) (string, error) {
	var n record.Network
	err := json.Unmarshal(value, &n)
	c.networks[n.ID.Dotted()] = n.ID
	return n.ID.String(), err
}

// hold returns the current key of the hold of an address; an item without a key stays.
func (c *converter) hold(it store.Item) (now store.Item, err error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(it.Key, catalog.HoldPrefix), "/")
	if strings.Contains(name, ":") {
		return now, nil
	}
	network, ok := c.networks[name]
	if !ok {
		return now, fmt.Errorf("there is no network %s", name)
	}
	var h map[string]any
	if err := json.Unmarshal(it.Value, &h); err != nil {
		return now, err
	}
	h["network"] = network
	if text, _ := h["group"].(string); text != "" {
		if h["group"], err = identity.ParseReversedGroup(text); err != nil {
			return now, err
		}
	}
	if now.Value, err = json.Marshal(h); err != nil {
		return now, err
	}
	var hold catalog.Hold
	err = json.Unmarshal(now.Value, &hold)
	now.Key = catalog.HoldKey(hold.Network, hold.Address)
	return now, err
}

// move moves the records below a prefix to other keys.
func (c *converter) move(ctx context.Context, prefix string, to func(store.Item) (store.Item, error)) error {
	items, _, err := c.db.List(ctx, prefix)
	if err != nil {
		return fmt.Errorf("convert %s: %w", prefix, err)
	}
	var changes [][]store.Op
	for _, it := range items {
		now, err := to(it)
		switch {
		case err != nil:
			c.log.Error("cannot convert a record of an earlier build", "key", it.Key, "error", err)
		case now.Key != "":
			changes = append(changes, []store.Op{{Key: it.Key, Delete: true}, {Key: now.Key, Value: now.Value}})
		}
	}
	return c.write(ctx, prefix, changes)
}

// write commits changes, as many at a time as a transaction holds. It divides none.
func (c *converter) write(ctx context.Context, what string, changes [][]store.Op) error {
	limits := c.db.Limits()
	tx, ops, size := &store.Tx{}, 0, 0
	flush := func() error {
		if ops == 0 {
			return nil
		}
		tx.Under(c.fence)
		rev, err := c.db.Commit(ctx, tx)
		c.last = max(c.last, rev)
		tx, ops, size = &store.Tx{}, 0, 0
		return err
	}
	for _, change := range changes {
		more := 0
		for _, op := range change {
			more += len(op.Key) + len(op.Value)
		}
		if ops+len(change)+1 > limits.Ops || size+more > limits.Bytes/2 { // beside the fence
			if err := flush(); err != nil {
				return fmt.Errorf("convert %s: %w", what, err)
			}
		}
		for _, op := range change {
			if op.Delete {
				tx.Delete(op.Key)
			} else {
				tx.Put(op.Key, op.Value)
			}
		}
		ops, size = ops+len(change), size+more
	}
	if err := flush(); err != nil {
		return fmt.Errorf("convert %s: %w", what, err)
	}
	if len(changes) > 0 {
		c.log.Info("converted records of an earlier build", "prefix", what, "records", len(changes))
	}
	return nil
}
