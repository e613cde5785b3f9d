// SPDX-License-Identifier: Apache-2.0

package consul

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/contiv/contiv/daemon/store"
)

// large is the size of keys and values, in bytes, up to which a watch receives everything at each change. Above it, the watch asks which
// parts have changed, and reads these.
const large = 1 << 20

const (
	flat    = 100 // number of keys directly in a directory from which on the directory is one part: its keys are listed together
	queries = 8   // concurrent
)

// errAgain reports that everything must be read again: the index went back, or the parts have changed.
var errAgain = errors.New("the parts must be listed again")

// parts are the directories below a prefix, and those in these, each with an index: asked for the keys up to the next slash, Consul returns
// the index of a prefix without its subdirectories.
type parts struct {
	store   *Store
	slash   string // with which keys begin, and Consul's do not
	prefix  string // in Consul's form, with a trailing slash
	since   uint64 // index of the list of the parts
	split   map[string]struct{}
	indexes map[string]uint64             // of prefixes, as last read
	keys    map[string]map[string]version // of each part, in Consul's form
	held    map[string]*store.Item        // newer than the previous update; nil: deleted
}

// divide divides the result of a complete list into parts.
func (s *Store) divide(prefix string, items []store.Item, index uint64) *parts {
	p := &parts{store: s, slash: strings.TrimSuffix(prefix, path(prefix)), prefix: path(prefix), since: index, split: map[string]struct{}{}, indexes: map[string]uint64{}, keys: map[string]map[string]version{}, held: map[string]*store.Item{}}
	loose := map[string]int{} // keys directly in a directory
	for _, it := range items {
		dir, rest, in := strings.Cut(strings.TrimPrefix(path(it.Key), p.prefix), "/")
		if dir += "/"; in && !strings.Contains(rest, "/") {
			loose[dir]++
		}
		if in {
			p.split[p.prefix+dir] = struct{}{}
		}
	}
	for dir, n := range loose {
		if n > flat {
			delete(p.split, p.prefix+dir)
		}
	}
	for _, it := range items {
		p.of(p.partOf(path(it.Key)))[it.Key] = version{it.Created, it.Revision}
	}
	return p
}

// of returns the known keys of a part.
func (p *parts) of(part string) map[string]version {
	if p.keys[part] == nil {
		p.keys[part] = map[string]version{}
	}
	return p.keys[part]
}

// partOf returns the part of a key: a directory, or the key itself.
func (p *parts) partOf(key string) string {
	part := p.prefix
	for range 2 {
		dir, _, in := strings.Cut(key[len(part):], "/")
		if part += dir; !in {
			return part
		}
		part += "/"
		if _, split := p.split[part]; !split {
			return part
		}
	}
	return part
}

// next waits for a change below the prefix, and reads the changed parts.
func (p *parts) next(ctx context.Context, seen *picture) (u store.Update, ok bool, err error) {
	rctx, done := p.store.lengthy(ctx, p.store.config.Timeout+blockTime+blockTime/16)
	defer done()
	o := options(rctx)
	o.WaitIndex, o.WaitTime = seen.index, blockTime
	_, meta, err := p.store.client().KV().Keys(strings.TrimSuffix(p.prefix, "/"), "/", o)
	switch {
	case err != nil:
		return u, false, err
	case meta.LastIndex < seen.index:
		return u, false, errAgain
	case meta.LastIndex == seen.index:
		return u, false, nil
	}
	u.Revision = max(store.Revision(meta.LastIndex), seen.sent)
	moved, err := p.moved(ctx)
	if err != nil {
		return u, false, err
	}
	if err := p.read(ctx, moved, &u); err != nil {
		return u, false, err
	}
	for _, it := range u.Items {
		seen.keys[it.Key] = version{it.Created, it.Revision}
	}
	for _, key := range u.Gone {
		delete(seen.keys, key)
	}
	seen.index, seen.sent = meta.LastIndex, u.Revision
	u.Sort()
	return u, len(u.Items)+len(u.Gone) > 0, nil
}

// below returns the directories and keys directly below a prefix, and its index.
func (p *parts) below(ctx context.Context, prefix string) ([]string, uint64, error) {
	rctx, cancel := p.store.request(ctx, p.store.config.Timeout)
	defer cancel()
	names, meta, err := p.store.client().KV().Keys(prefix, "/", options(rctx))
	if err != nil {
		return nil, 0, err
	}
	return names, meta.LastIndex, nil
}

// each calls do with every name, some concurrently, and returns the first error.
func each(names []string, do func(name string) error) error {
	var mu sync.Mutex
	var first error
	var all sync.WaitGroup
	turn := make(chan struct{}, queries)
	for _, name := range names {
		turn <- struct{}{}
		all.Go(func() {
			defer func() { <-turn }()
			if err := do(name); err != nil {
				mu.Lock()
				defer mu.Unlock()
				first = err
			}
		})
	}
	all.Wait()
	return first
}

// moved checks all parts and returns those that have changed since they were last read.
func (p *parts) moved(ctx context.Context) ([]string, error) {
	names, _, err := p.below(ctx, p.prefix)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	there := map[string]struct{}{}
	var folders, out []string
	look := func(name string) error {
		_, split := p.split[name]
		prefix := name
		if !split {
			prefix = strings.TrimSuffix(name, "/") // one name, instead of everything in it
		}
		in, index, err := p.below(ctx, prefix)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		before, known := p.indexes[name]
		p.indexes[name] = index
		for at := range p.keys {
			if at == name || split && strings.HasPrefix(at, name) {
				there[at] = struct{}{}
			}
		}
		switch {
		case index <= p.since && !known, index == before && known:
		case split && len(in) > 2*flat:
			return errAgain
		case split:
			folders = append(folders, in...)
			for at := range p.keys { // the deleted ones
				if strings.HasPrefix(at, name) {
					delete(there, at)
				}
			}
		default:
			out = append(out, name)
		}
		return nil
	}
	if err := each(names, look); err != nil {
		return nil, err
	}
	if err := each(slices.Clone(folders), look); err != nil {
		return nil, err
	}
	for at, keys := range p.keys {
		if _, still := there[at]; !still && len(keys) > 0 {
			out = append(out, at)
		}
	}
	return out, nil
}

// read reads parts and adds their changes to an update, whose revision was the store's before. A change that is newer than that revision is
// held back until the next update, because older ones may be missing.
func (p *parts) read(ctx context.Context, names []string, u *store.Update) error {
	var mu sync.Mutex
	fresh, held := map[string]*store.Item{}, map[string]*store.Item{}
	err := each(names, func(name string) error {
		rctx, cancel := p.store.lengthy(ctx, p.store.config.Timeout)
		defer cancel()
		items, index, err := p.store.list(p.slash+name, options(rctx))
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		before, now := p.keys[name], map[string]version{}
		for i := range items {
			it := &items[i]
			if p.partOf(path(it.Key)) != name {
				continue // of a part whose name begins with this one's
			}
			now[it.Key] = version{it.Created, it.Revision}
			switch {
			case before[it.Key].changed == it.Revision:
			case it.Revision > u.Revision:
				held[it.Key] = it
			default:
				fresh[it.Key] = it
			}
		}
		for key := range before {
			if _, still := now[key]; still {
				continue
			}
			if store.Revision(index) > u.Revision { // the revision of its deletion is unknown
				held[key] = nil
			} else {
				fresh[key] = nil
			}
		}
		if p.keys[name] = now; len(now) == 0 {
			delete(p.keys, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.send(u, fresh, held)
	return nil
}

// send adds to an update the changes that the previous one held back, and the new ones, and holds back the rest. If a key changes all the
// time, each update has the change that the previous one held back, so that the key is not starved.
func (p *parts) send(u *store.Update, fresh, held map[string]*store.Item) {
	for key, it := range p.held {
		if _, newer := fresh[key]; !newer {
			fresh[key] = it
		}
	}
	p.held = held
	for key, it := range fresh {
		if it == nil {
			u.Gone = append(u.Gone, key)
		} else {
			u.Items = append(u.Items, *it)
		}
	}
}
