// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/checkpoint"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/ofnet"
)

// reporting is how an agent without a switch reports.
type reporting struct {
	*switchless
	held func() (channel.Mark, map[channel.Shard]channel.Digest)
}

func (r reporting) Revision() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rev
}

func (r reporting) Held() (channel.Mark, map[channel.Shard]channel.Digest) { return r.held() }

func (r reporting) Status() ([]byte, error) { return []byte("{}"), nil }

// follower is an agent that follows a netmaster.
type follower struct {
	engine *Engine
	end    func()
}

// follow has an agent of host h1 follow a netmaster until end is called, from what its file has.
func follow(t *testing.T, m *mastertest.Master, path string) *follower {
	t.Helper()
	file, saved, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	b, out := newSwitchless(), &follower{}
	told := channel.NewClient(channel.Options{Host: "h1", Masters: func(context.Context) []string { return []string{m.URL} }, HTTP: channel.NewHTTP(nil), Log: quiet,
		Hooks: channel.Hooks{Reporter: reporting{b, func() (channel.Mark, map[channel.Shard]channel.Digest) { return out.engine.Held() }}}})
	out.engine = New(Options{Bridge: b, Self: ofnet.Host{Label: "h1"}, Log: quiet})
	source := &checkpoint.Source{Follower: told, File: file, Saved: saved, Grace: time.Minute, Log: quiet}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- out.engine.Run(ctx, Following{Source: source}) }()
	out.end = func() {
		cancel()
		<-done
		file.Close()
	}
	return out
}

// until waits until an endpoint has an address as the agent knows it.
func (a *follower) until(t *testing.T, id, address string) {
	t.Helper()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	for {
		changed := a.engine.Changed()
		e, _ := a.engine.Endpoint(id)
		if record.Text(e.IP) == address {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			t.Fatalf("endpoint %s: want %s, got %s", id, address, record.Text(e.IP))
		}
	}
}

// An agent whose file has another value than the store, under a checksum that is right, continues where it was, and still receives the
// right one: what it holds is compared with what it was sent.
func TestWrongRecordIsFound(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	if _, err := m.Networks().Put(t.Context(), &model.Network{TenantName: "default", NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/24"}); err != nil {
		t.Fatal(err)
	}
	e := m.Endpoint(t, "default", "blue", "", "c1", "")
	var landmark store.Tx // by which the agent's next stream continues where this one ends
	landmark.Put(record.Landmark, []byte("one"))
	if _, err := m.Store.Commit(t.Context(), &landmark); err != nil {
		t.Fatal(err)
	}
	id, right := e.ID.String(), record.Text(e.IP)
	path := filepath.Join(t.TempDir(), "records")
	first := follow(t, m, path)
	first.until(t, id, right)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for mark, _ := first.engine.Held(); mark.Landmark.Text == ""; mark, _ = first.engine.Held() {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("want a landmark")
		}
	}
	first.end()

	f, saved, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	wrong := channel.Batch{Mark: saved.Mark}
	for _, u := range saved.Updates {
		for _, i := range u.Items {
			if i.Key == record.Endpoints+id {
				i.Value = []byte(strings.Replace(string(i.Value), right, "10.1.1.99", 1))
				wrong.Updates = append(wrong.Updates, channel.Update{Shard: u.Shard, Items: []channel.Item{i}})
			}
		}
	}
	if len(wrong.Updates) == 0 {
		t.Fatalf("want a record of %s in the file", id)
	}
	if err := f.Append(&wrong); err != nil {
		t.Fatal(err)
	}
	f.Close()

	second := follow(t, m, path)
	defer second.end()
	second.until(t, id, "10.1.1.99")
	second.until(t, id, right)
	if n := m.Relay.Resent(); n != 1 {
		t.Errorf("want one part of the store sent again, got %d", n)
	}
}
