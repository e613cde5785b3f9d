// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/checksum"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// know starts what knows the networks of the fake engine, without long waits. It ends with end.
func (f *fake) know(w *Watcher, file string) (k *Kept, end func()) {
	k = NewKept(w, "netplugin", "h1", KeptFile(file), slog.New(slog.DiscardHandler))
	k.delay, k.interval = time.Millisecond, 5*time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := k.Run(ctx); err != nil {
			f.t.Error(err)
		}
	})
	end = func() { cancel(); done.Wait() }
	f.t.Cleanup(end)
	return k, end
}

// keptIn is a network that the agent keeps in the engine, as the engine has it.
func keptIn(id, network, group string) *fakeNetwork {
	n := netOf("default", network, 5)
	s, more := specOf(&n, group, "netplugin"), ""
	if group != "" {
		more = `,"group":"` + group + `"`
	}
	return &fakeNetwork{ID: id, Name: network + group, Driver: s.Driver, Options: s.Options, Labels: s.Labels,
		IPAM: []byte(`{"Driver":"netplugin","Options":{"tenant":"default","network":"` + network + `"` + more + `},"Config":[{"Subnet":"10.1.5.0/24"}]}`)}
}

// A Kept knows the networks that the agent keeps by the engine's list, and by its file while the engine does not answer. It does not know those of others.
func TestKept(t *testing.T) {
	f, file := newFake(t), filepath.Join(t.TempDir(), "lib", "networks")
	inner := keptIn("n3", "net", "")
	inner.Internal = true
	f.change("", func() {
		f.networks["n1"], f.networks["n2"], f.networks["n3"] = keptIn("n1", "net", ""), keptIn("n2", "net", "web"), inner
		for id, spoil := range map[string]func(*fakeNetwork){
			"x1": func(n *fakeNetwork) { n.Driver = "bridge" },
			"x2": func(n *fakeNetwork) { delete(n.Options, Managed) }, // its label is the user's
			"x3": func(n *fakeNetwork) { n.Options["group"] = "other" },
			"x4": func(n *fakeNetwork) { n.Options["contiv-tag"] = "web" },
			"x5": func(n *fakeNetwork) { n.IPAM = []byte(`{"Driver":"default","Config":[]}`) },
			"x6": func(n *fakeNetwork) { delete(n.Options, "tenant") },
		} {
			f.networks[id] = keptIn(id, "net", "")
			spoil(f.networks[id])
		}
	})
	k, end := f.know(f.watch(), file)
	known := func(want ...string) func() bool {
		return func() bool {
			var got []string
			for _, id := range []string{"n1", "n2", "n3", "n4", "x1", "x2", "x3", "x4", "x5", "x6"} {
				if d, is := k.Find(id); is {
					got = append(got, id+"="+d.Network.String()+":"+d.Group)
				}
			}
			return slices.Equal(got, want)
		}
	}
	all := []string{"n1=default:net:", "n2=default:net:web", "n3=default:net:"}
	until(t, "what the engine has", known(all...))
	if d, _ := k.Find("n3"); !d.Internal || !d.Managed || d.Host != "h1" || len(d.Pools) != 1 {
		t.Errorf("want an internal network of h1 with its pool, got %+v", d)
	}
	// A network that the engine has not listed yet stays known; a network that it removes is forgotten, though it is still listed.
	k.Add(record.DockerNetwork{ID: "n4", Network: identity.Network{Tenant: "default", Name: "late"}})
	if !k.Remove("n1") || k.Remove("x1") {
		t.Error("want n1 forgotten, and x1 none of the agent's")
	}
	f.change(`{"Type":"network","Action":"create","Actor":{"ID":"n9"}}`, func() {})
	now := []string{"n2=default:net:web", "n3=default:net:", "n4=default:late:"}
	listed := f.called("GET /networks")
	until(t, "the engine asked again", func() bool { return f.called("GET /networks") > listed+1 })
	if !known(now...)() {
		t.Error("after a list: want n1 gone and n4 there")
	}
	end()

	f.stop()
	away := f.watch()
	k, end = f.know(away, file)
	if !known(now...)() {
		t.Error("after a restart of the agent, without an engine: want what was known")
	}
	f.change("", func() { delete(f.networks, "n2"); f.networks["n1"] = keptIn("n1", "net", "") })
	f.start()
	until(t, "what the engine has", known("n1=default:net:", "n3=default:net:"))
	end()

	if err := os.WriteFile(file, []byte("{\n  \"networks\": [],\n  \"sum\": \"crc32c:00000000\"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := KeptFile(file).Read(); !errors.Is(err, checksum.ErrDamaged) {
		t.Errorf("a damaged file: want it reported, got %v", err)
	}
	k, _ = f.know(f.watch(), file)
	until(t, "what the engine has, with a damaged file", known("n1=default:net:", "n3=default:net:"))
	until(t, "the file written again", func() bool { saved, err := KeptFile(file).Read(); return err == nil && len(saved) == 2 })
}

// releases is a netmaster that deletes records, or is of an earlier build and leaves them.
type releases struct {
	*cluster
	mu    sync.Mutex
	asked [][]string
	old   bool
	away  error
}

func (r *releases) DeleteDockerNetwork(_ context.Context, q model.DockerNetworkRemoval) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away != nil || q.Host != "h1" || q.ID != "" {
		return errors.Join(r.away, errors.New("it does not"))
	}
	if r.asked = append(r.asked, q.Kept); !r.old {
		r.change(func() {
			r.docknets = slices.DeleteFunc(r.docknets, func(d record.DockerNetwork) bool { return slices.Contains(q.Kept, d.ID) })
		})
	}
	return nil
}

func (r *releases) requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.asked)
}

// Records of an earlier build of what the engine says itself are deleted, some at a time, once the engine has said it. All else stays, and a netmaster
// that leaves them is not asked again soon.
func TestMigration(t *testing.T) {
	f, m := newFake(t), &releases{cluster: newCluster()}
	row := func(id, host, group string) record.DockerNetwork {
		return record.DockerNetwork{ID: id, Network: identity.Network{Tenant: "default", Name: "net"}, Group: group, Host: host, Managed: true}
	}
	stay := []record.DockerNetwork{row("other", "h2", ""), row("swarm", "", ""), row("gone", "h1", ""), row("differs", "h1", "web"), row("mine", "h1", ""), row("made", "h1", "")}
	stay[4].Managed, stay[5].Made = false, true
	f.change("", func() {
		for _, d := range stay {
			if d.ID != "gone" {
				f.networks[d.ID] = keptIn(d.ID, "net", "")
			}
		}
		for _, id := range []string{"late1", "late2", "late3"} {
			f.networks[id] = keptIn(id, "net", "")
		}
		for i := range 2*model.MaxKept + 10 {
			id := fmt.Sprintf("n%03d", i)
			f.networks[id] = keptIn(id, "net", "")
			m.docknets = append(m.docknets, row(id, "h1", ""))
		}
	})
	m.docknets = append(m.docknets, stay...)
	m.away = errors.New("no netmaster answers")
	k, _ := f.know(f.watch(), "")
	g := NewMigration(k, m, m, "h1", slog.New(slog.DiscardHandler))
	g.interval = time.Millisecond
	f.background(g.Run)
	until(t, "the networks known", func() bool {
		return k.Supersedes(&record.DockerNetwork{ID: "n000", Network: stay[0].Network, Host: "h1", Managed: true})
	})
	m.mu.Lock()
	m.away = nil
	m.mu.Unlock()
	until(t, "only what the engine does not say", func() bool { return len(m.DockerNetworks()) == len(stay) })
	if got := m.requests(); got != 3 {
		t.Errorf("want the records deleted in 3 requests, got %d", got)
	}
	m.mu.Lock()
	m.old = true
	m.mu.Unlock()
	if !k.Remove("late1") { // whose record is still to be deleted
		t.Error("want late1 known")
	}
	m.change(func() { m.docknets = append(m.docknets, row("late1", "h1", ""), row("late2", "h1", "")) })
	until(t, "a netmaster of an earlier build asked", func() bool { return m.requests() == 4 })
	m.change(func() {})
	m.change(func() { m.docknets = append(m.docknets, row("late3", "h1", "")) })
	until(t, "it asked for the new one", func() bool { return m.requests() == 5 })
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Equal(m.asked[4], []string{"late3"}) {
		t.Errorf("want only late3 asked for, got %q", m.asked[4])
	}
}
