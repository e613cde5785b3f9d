// SPDX-License-Identifier: Apache-2.0

package supportbundle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
)

// held are the parts of the store that a bundle holds: no credentials, and nothing of who may join. Parts that a later build adds are in no bundle until
// they are listed here. A part that ends with a slash is all below it.
var held = []string{record.State, record.Config, record.Services, record.Runs, record.Objects, record.Pools, record.History, record.ACIProfiles, record.Timeline,
	record.LeaderKey, record.SuccessorKey, record.TermsKey, kubernetes}

// kubernetes is where it is kept what was read of Kubernetes.
const kubernetes = record.Root + "kubernetes/"

// records adds what the store holds, a file for each part.
func (c *collector) records(ctx context.Context) error {
	items, rev, err := c.Store.List(ctx, record.Root)
	if err != nil {
		c.miss("cluster", strings.TrimSuffix(bundle.Records, "/"), err)
		return ctx.Err()
	}
	c.manifest.Revision = uint64(rev)
	parts, left := map[string]*bytes.Buffer{}, 0
	for i := range items {
		it := &items[i]
		if !isHeld(it.Key) || !withoutGuarded(it) {
			left++
			continue
		}
		line, err := json.Marshal(c.clean.record(it))
		if err != nil {
			return err
		}
		name := partOf(it.Key)
		if parts[name] == nil {
			parts[name] = &bytes.Buffer{}
		}
		parts[name].Write(append(line, '\n'))
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if err := c.add(bundle.Records+name+".jsonl", "the store below "+record.Root, parts[name].Bytes()); err != nil {
			return err
		}
	}
	if left > 0 {
		c.manifest.TakenOut = append(slices.Clone(taken), fmt.Sprintf("%d keys of the store, of these and of what this build does not know", left))
	}
	return nil
}

// isHeld reports whether a key is in a part of the store that a bundle holds.
func isHeld(key string) bool {
	return slices.ContainsFunc(held, func(p string) bool { return key == p || strings.HasSuffix(p, "/") && strings.HasPrefix(key, p) })
}

// partOf is the part of the store that a key belongs to: the first words of its path.
func partOf(key string) string {
	words := strings.Split(strings.TrimPrefix(key, record.Root), "/")
	return strings.Join(words[:min(len(words)-1, 3)], "-")
}

// withoutGuarded reports whether users who do not manage users may see an item: it is false for objects of guarded kinds, and for changes of
// only such objects.
func withoutGuarded(it *store.Item) bool {
	if path, ok := strings.CutPrefix(it.Key, record.Objects); ok {
		ref, _ := identity.ParseRef(path)
		k, known := model.KindOf(ref.Kind)
		return known && !k.Guarded
	}
	if !strings.HasPrefix(it.Key, record.History) {
		return true
	}
	r, err := history.Decode(it.Key, it.Value, uint64(it.Revision))
	if err != nil {
		return false
	}
	some := false
	for i := range r.Entries {
		e := &r.Entries[i]
		e.Changes = slices.DeleteFunc(e.Changes, func(c history.Change) bool {
			k, known := model.KindOf(c.Kind)
			return known && k.Guarded
		})
		some = some || len(e.Changes) > 0 || len(e.Addresses) > 0
	}
	if some {
		it.Value, err = json.Marshal(r)
	}
	return some && err == nil
}
