// SPDX-License-Identifier: Apache-2.0

// Package inventory offers what this host carries to netmasters whose store may not know all of it, before the host follows that store. It
// keeps endpoints that contradict the store until an operator has decided.
package inventory

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
)

// Shard has what the host carries in addition to the netmasters' shards. No netmaster knows it.
const Shard channel.Shard = "carried"

// offerInterval is the time between two offers of what contradicts the store.
const offerInterval = 10 * time.Second

// Follower follows netmasters. It is *channel.Client.
type Follower interface {
	Resume(shards []channel.Shard, mark channel.Mark)
	Follow(ctx context.Context) iter.Seq2[channel.Batch, error]
	// Retell makes netmasters send a shard as a whole.
	Retell(s channel.Shard)
}

// Options configure a Merger.
type Options struct {
	Host     string // label
	Follower Follower
	// Attached returns the ids of endpoints that have an interface on this host. It does not block.
	Attached func() []string
	// Ported returns endpoints of this host as Open vSwitch describes them, for those whose records netmasters have not sent. It does
	// not block; nil: none.
	Ported func() []record.Endpoint
	// Post offers what the host carries. It blocks until a netmaster has answered.
	Post func(ctx context.Context, o channel.Offer) (channel.Offered, error)
	Log  *slog.Logger
}

// Merger is a Follower that adds what the host carries. All methods but Follow are safe for concurrent use.
type Merger struct {
	Options

	mu       sync.Mutex
	received map[string]channel.Item // own endpoints, networks, groups and tenants, as netmasters have sent them
	kept     map[string]channel.Item // records that they no longer send, and that the host carries
	dropped  map[string]struct{}     // ids of endpoints, by an operator's decision
}

// New returns a Merger.
func New(o Options) *Merger {
	return &Merger{Options: o, received: map[string]channel.Item{}, kept: map[string]channel.Item{}, dropped: map[string]struct{}{}}
}

// Learn applies what the host received before. It must be called before Follow.
func (k *Merger) Learn(saved *channel.Batch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range saved.Updates {
		u := &saved.Updates[i]
		if u.Shard != Shard {
			k.learn(u)
			continue
		}
		for _, item := range u.Items {
			k.kept[item.Key] = item
		}
	}
}

// Resume sets the known shards, without the one that no netmaster knows.
func (k *Merger) Resume(shards []channel.Shard, mark channel.Mark) {
	k.Follower.Resume(slices.DeleteFunc(slices.Clone(shards), func(s channel.Shard) bool { return s == Shard }), mark)
}

// Carries reports whether the host holds records that netmasters do not send, and so may lack some that they do.
func (k *Merger) Carries() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.kept) > 0
}

// prefixes are those of the records that a Merger keeps.
var prefixes = []string{record.Endpoints, record.Networks, record.Groups, record.Tenants}

// learn applies an update. The caller holds k.mu.
func (k *Merger) learn(u *channel.Update) {
	for _, key := range u.Gone {
		delete(k.received, key)
	}
	own := `"homingHost":"` + k.Host + `"`
	for _, item := range u.Items {
		if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(item.Key, p) }) {
			continue
		}
		if strings.HasPrefix(item.Key, record.Endpoints) && !strings.Contains(string(item.Value), own) {
			delete(k.received, item.Key)
			continue
		}
		k.received[item.Key] = item
	}
}

// Offer offers what the host carries.
func (k *Merger) Offer(ctx context.Context) error {
	o := k.offer()
	out, err := k.Post(ctx, o)
	if err != nil {
		return err
	}
	if len(out.Adopted)+len(out.Conflicts)+len(out.Dropped) > 0 {
		k.Log.Info("offered this host's endpoints to a netmaster", "endpoints", len(o.Endpoints), "adopted", len(out.Adopted), "conflicts", len(out.Conflicts), "dropped", len(out.Dropped))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropped = map[string]struct{}{}
	for _, id := range out.Dropped {
		k.dropped[id] = struct{}{}
	}
	return nil
}

// offer returns what the host carries.
func (k *Merger) offer() channel.Offer {
	attached := map[string]struct{}{}
	for _, id := range k.Attached() {
		attached[id] = struct{}{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	all := k.ported()
	maps.Copy(all, k.received)
	maps.Copy(all, k.kept)
	out := channel.Offer{Host: k.Host, Endpoints: []record.Endpoint{}}
	grounds := map[string]struct{}{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		id, is := strings.CutPrefix(key, record.Endpoints)
		if _, here := attached[id]; !is || !here || len(out.Endpoints) == channel.MaxOffer {
			continue
		}
		var e record.Endpoint
		if json.Unmarshal(all[key].Value, &e) != nil || e.Host != k.Host {
			continue
		}
		out.Endpoints = append(out.Endpoints, e)
		for _, ground := range groundsOf(&e) {
			grounds[ground] = struct{}{}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(grounds)) {
		value := all[key].Value
		switch {
		case strings.HasPrefix(key, record.Networks):
			out.Networks = add(out.Networks, value)
		case strings.HasPrefix(key, record.Groups):
			out.Groups = add(out.Groups, value)
		default:
			out.Tenants = add(out.Tenants, value)
		}
	}
	return out
}

// ported returns the records of endpoints as Open vSwitch describes them, by their keys.
func (k *Merger) ported() map[string]channel.Item {
	out := map[string]channel.Item{}
	if k.Ported == nil {
		return out
	}
	for _, e := range k.Ported() {
		if text, err := json.Marshal(e); err == nil && e.Host == k.Host {
			key := record.Endpoints + e.ID.String()
			out[key] = channel.Item{Key: key, Value: text}
		}
	}
	return out
}

// add adds a record, unless it is malformed.
func add[R any](to []R, value []byte) []R {
	var r R
	if json.Unmarshal(value, &r) != nil {
		return to
	}
	return append(to, r)
}

// groundsOf returns the keys of the records on which an endpoint depends.
func groundsOf(e *record.Endpoint) []string {
	out := []string{record.Tenants + e.ID.Tenant, record.Networks + e.ID.Network.String()}
	if e.Group.Name != "" {
		out = append(out, record.Groups+e.Group.String())
	}
	return out
}
