// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Kept knows which network or group each network of the engine stands for that the agent keeps there. The store has no record of these: the engine
// says it when it creates one, and in its list; a file says it while the engine starts, which answers nothing before it has started its containers.
// Its methods are safe for concurrent use, and do not ask the engine.
type Kept struct {
	watcher  *Watcher
	driver   string
	host     string
	file     KeptFile
	log      *slog.Logger
	now      func() time.Time
	delay    time.Duration // between two writes of the file, at least
	interval time.Duration // between two lists of the engine, at least, and until a list or a write that failed is repeated

	mu       sync.Mutex
	networks map[string]keptNetwork // by id
	removed  map[string]time.Time   // when the engine removed networks since the agent's start, by id
	listed   bool                   // the engine has confirmed the networks since the agent's start
	unsaved  bool
	unsaid   string // why the file was not written, as logged
	changed  chan struct{}
}

type keptNetwork struct {
	record.DockerNetwork
	added time.Time // by a request of the engine; zero: by a list or the file
}

// listLag bounds how long the engine's list may lack a network that the driver has accepted, or have one that the driver was asked to delete.
const listLag = 30 * time.Second

// removedMemory is how long it is known that the engine has removed a network.
const removedMemory = time.Hour

// NewKept returns what the file says of the networks of driver in a host's engine; Run keeps it up to date.
func NewKept(w *Watcher, driver, host string, file KeptFile, log *slog.Logger) *Kept {
	k := &Kept{watcher: w, driver: driver, host: host, file: file, log: log, now: time.Now, delay: time.Second, interval: 5 * time.Second,
		networks: map[string]keptNetwork{}, removed: map[string]time.Time{}, changed: make(chan struct{})}
	saved, err := file.Read()
	if err != nil {
		log.Warn("Docker networks of the agent are unknown until the Docker engine answers", "error", err)
	}
	for _, d := range saved {
		d.Host, d.Managed = host, true
		k.networks[d.ID] = keptNetwork{DockerNetwork: d}
	}
	return k
}

// Find returns what a network stands for; false: the agent does not keep it, or does not know of it yet.
func (k *Kept) Find(id string) (record.DockerNetwork, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n, is := k.networks[id]
	return n.DockerNetwork, is
}

// Add notes a network that the engine is about to have. It may be repeated.
func (k *Kept) Add(d record.DockerNetwork) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d.Host, d.Managed = k.host, true
	k.networks[d.ID] = keptNetwork{d, k.now()}
	delete(k.removed, d.ID)
	k.unsaved = true
	k.notify()
}

// Remove forgets a network that the engine removes, and reports whether the agent kept it.
func (k *Kept) Remove(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, is := k.networks[id]; !is {
		return false
	}
	delete(k.networks, id)
	k.removed[id] = k.now()
	k.unsaved = true
	k.notify()
	return true
}

// notify says that the networks have changed, or that the engine has confirmed them. k.mu is held.
func (k *Kept) notify() {
	close(k.changed)
	k.changed = make(chan struct{})
}

// Changed is closed when the networks have changed after the call.
func (k *Kept) Changed() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.changed
}

// Supersedes reports whether a record of the store is not needed: the engine has confirmed that its network stands for the same, or has removed the network.
func (k *Kept) Supersedes(d *record.DockerNetwork) bool {
	if !d.Managed || d.Made || d.Host != k.host {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	n, is := k.networks[d.ID]
	_, gone := k.removed[d.ID]
	return gone || k.listed && is && n.Network == d.Network && n.Group == d.Group && n.Internal == d.Internal
}

// Run takes over the engine's list when the engine has begun to answer, and later when it may have changed, and writes the file, until ctx ends; then it returns nil.
func (k *Kept) Run(ctx context.Context) error {
	var events uint64 // about networks, that the last list includes
	var listed, saved time.Time
	for ctx.Err() == nil {
		docker, own := k.watcher.Changed(), k.Changed()
		next := time.NewTimer(time.Hour)
		e, here := k.watcher.Engine()
		if now := k.watcher.State().Networks; !here {
			listed = time.Time{}
		} else if now != events {
			if rest := k.interval - time.Since(listed); rest > 0 {
				next.Reset(rest)
			} else if listed = time.Now(); k.list(ctx, e) {
				events = now
			} else {
				next.Reset(k.interval)
			}
		}
		var save <-chan time.Time
		if k.dirty() {
			if rest := k.delay - time.Since(saved); rest > 0 {
				save = time.After(rest)
			} else if saved = time.Now(); !k.save() {
				save = time.After(k.interval)
			}
		}
		select {
		case <-docker:
		case <-own:
		case <-next.C:
		case <-save:
		case <-ctx.Done():
		}
		next.Stop()
	}
	k.save()
	return nil
}

// dirty reports whether the file is out of date.
func (k *Kept) dirty() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.unsaved
}

// list takes over what the engine has, and reports whether that is known for sure.
func (k *Kept) list(ctx context.Context, e Engine) bool {
	began := k.now()
	have, err := ask(ctx, k.watcher.pace.answer, e.Networks)
	if err != nil {
		k.log.Debug("the Docker engine did not list its networks", "error", err)
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	next, sure := map[string]keptNetwork{}, true
	for i := range have {
		d, is := have[i].kept(k.driver)
		if !is {
			continue
		}
		if at, gone := k.removed[d.ID]; gone && began.Sub(at) < listLag {
			sure = false // the engine is about to remove it, or has failed to
			continue
		}
		d.Host = k.host
		next[d.ID] = keptNetwork{DockerNetwork: d, added: k.networks[d.ID].added}
		delete(k.removed, d.ID)
	}
	for id, n := range k.networks {
		if _, is := next[id]; !is && began.Sub(n.added) < listLag {
			next[id] = n
		}
	}
	maps.DeleteFunc(k.removed, func(_ string, at time.Time) bool { return began.Sub(at) > removedMemory })
	differ := !maps.EqualFunc(next, k.networks, func(a, b keptNetwork) bool { return sameKept(&a.DockerNetwork, &b.DockerNetwork) })
	if differ || !k.listed {
		k.unsaved = k.unsaved || differ
		k.networks, k.listed = next, true
		k.notify()
	}
	return sure
}

func sameKept(a, b *record.DockerNetwork) bool {
	return a.Network == b.Network && a.Group == b.Group && a.Internal == b.Internal && slices.Equal(a.Pools, b.Pools)
}

// save writes the file if it is out of date, and reports whether it is up to date.
func (k *Kept) save() bool {
	k.mu.Lock()
	if !k.unsaved {
		k.mu.Unlock()
		return true
	}
	var all []record.DockerNetwork
	for _, n := range k.networks {
		all = append(all, n.DockerNetwork)
	}
	k.unsaved = false
	k.mu.Unlock()
	slices.SortFunc(all, func(a, b record.DockerNetwork) int { return strings.Compare(a.ID, b.ID) })
	err := k.file.Write(all)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.unsaid = ""
		return true
	}
	if k.unsaid != err.Error() {
		k.log.Warn("Docker networks of the agent are not saved: containers on them do not start with the host", "error", err)
	}
	k.unsaved, k.unsaid = true, err.Error()
	return false
}

// kept is what a network stands for by its own options, without its host; false: the options do not say it, or the agent does not keep the network.
// Options of the IPAM driver that say anything else, and a tag, are none of the agent's.
func (n *Network) kept(driver string) (d record.DockerNetwork, is bool) {
	o := n.Options
	if n.Driver != driver || n.IPAM != driver || o[Managed] != "true" || o[optionTenant] == "" || o[optionNetwork] == "" {
		return d, false
	}
	for _, name := range []string{optionTenant, optionNetwork, optionGroup} {
		if n.IPAMOptions[name] != o[name] {
			return d, false
		}
	}
	if o[optionContivTag] != "" || n.IPAMOptions[optionContivTag] != "" {
		return d, false
	}
	d = record.DockerNetwork{ID: n.ID, Network: identity.Network{Tenant: o[optionTenant], Name: o[optionNetwork]}, Group: o[optionGroup], Managed: true, Internal: n.Internal}
	for _, s := range n.Subnets {
		d.Pools = append(d.Pools, s.Prefix.Masked())
	}
	return d, true
}
