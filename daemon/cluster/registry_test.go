package cluster

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/daemon/task"
)

func service(name string, port int) record.Service {
	return record.Service{ServiceName: name, HostAddr: "10.0.0.1", Port: port}
}

// start runs a task until stop or the end of the test.
func start(tb testing.TB, t task.Task) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- t.Run(ctx) }()
	stopped := false
	stop = func() {
		cancel()
		if !stopped {
			stopped = true
			if err := <-done; err != nil {
				tb.Errorf("%s: %v", t, err)
			}
		}
	}
	tb.Cleanup(stop)
	select {
	case <-t.Ready():
	case <-time.After(patience):
		tb.Fatalf("%s is not ready after %s", t, patience)
	}
	return stop
}

// until waits until the view has these instances of a service.
func until(tb testing.TB, m *Members, name string, ports ...int) {
	tb.Helper()
	end := time.After(patience)
	for {
		changed := m.Changed()
		var got []int
		for _, s := range m.List(name) {
			got = append(got, s.Port)
		}
		if slices.Equal(got, ports) {
			return
		}
		select {
		case <-changed:
		case <-end:
			tb.Fatalf("%s: want ports %v, got %v", name, ports, got)
		}
	}
}

func TestRegistry(t *testing.T) {
	db, log := memory.New(), slog.New(slog.DiscardHandler)
	m := NewMembers(db, log)
	start(t, m)
	mine := db.Open()
	r := NewRegistry(mine, 300*time.Millisecond, log, service("netmaster", 1), service("netplugin", 2))
	stop := start(t, r)
	until(t, m, "netmaster", 1)
	until(t, m, "netplugin", 2)
	r.Set(service("netmaster", 1), service("netmaster", 3))
	until(t, m, "netmaster", 1, 3)
	until(t, m, "netplugin")
	list, err := registered(t.Context(), db, "netmaster")
	if err != nil || len(list) != 2 || list[0].Port != 1 {
		t.Errorf("services: got %+v (%v)", list, err)
	}
	mine.Away()
	until(t, m, "netmaster")
	mine.Back()
	until(t, m, "netmaster", 1, 3)
	stop()
	until(t, m, "netmaster")
	if _, err := registered(t.Context(), db, "netmaster"); err != nil {
		t.Errorf("none registered is no error: got %v", err)
	}
}

// REG-01, REG-02: two instances of a service are listed in the order of their keys and outlive their leases; one that is
// registered three times is there once; nothing is left of those that are taken back.
func TestInstances(t *testing.T) {
	db, log := memory.New(), slog.New(slog.DiscardHandler)
	const ttl = time.Second // a busy machine is late by a part of it
	var stops []func()
	for range 3 {
		stops = append(stops, start(t, NewRegistry(db.Open(), ttl, log, service("web", 4568))))
	}
	stops = append(stops, start(t, NewRegistry(db.Open(), ttl, log, service("web", 4567))))
	later := time.After(2 * ttl)
	for range 2 {
		list, err := registered(t.Context(), db, "web")
		if err != nil || len(list) != 2 || list[0].Port != 4567 || list[1].Port != 4568 {
			t.Errorf("want 4567 and 4568, got %+v, %v", list, err)
		}
		<-later
		later = time.After(0)
	}
	for _, stop := range stops {
		stop()
	}
	if list, err := registered(t.Context(), db, "web"); err != nil || len(list) != 0 {
		t.Errorf("want no instance and no error, got %+v, %v", list, err)
	}
}

func TestRole(t *testing.T) {
	db, log := memory.New(), slog.New(slog.DiscardHandler)
	s := service("netmaster", 1)
	s.Role = "follower"
	r := NewRegistry(db, 0, log, s)
	start(t, r)
	m := NewMembers(db, log)
	start(t, m)
	s.Role = "leader"
	r.Set(s)
	for end := time.After(patience); ; {
		changed := m.Changed()
		if list := m.List("netmaster"); len(list) == 1 && list[0].Role == "leader" && list[0].TTL == 10 {
			return
		}
		select {
		case <-changed:
		case <-end:
			t.Fatalf("want a leader, got %+v", m.List("netmaster"))
		}
	}
}

func TestMembersRubbish(t *testing.T) {
	db, log := memory.New(), slog.New(slog.DiscardHandler)
	var tx store.Tx
	tx.Put(record.Services+"netmaster/x", []byte("not JSON"))
	tx.Put(record.Services+"netmaster", []byte("a key without an instance"))
	if _, err := db.Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	m := NewMembers(db, log)
	start(t, m)
	until(t, m, "netmaster")
	if _, err := registered(t.Context(), db, "netmaster"); err == nil {
		t.Error("a list with rubbish: want an error")
	}
}

func TestMembersClosed(t *testing.T) {
	db := memory.New()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := NewMembers(db, slog.New(slog.DiscardHandler)).Run(t.Context()); !errors.Is(err, store.ErrClosed) {
		t.Errorf("want %v, got %v", store.ErrClosed, err)
	}
}

// registered lists the instances of a service, ordered by key.
func registered(ctx context.Context, s store.Store, name string) ([]record.Service, error) {
	items, _, err := s.List(ctx, record.Services+name+"/")
	if err != nil {
		return nil, err
	}
	var list []record.Service
	for _, i := range items {
		service, err := decode(i)
		if err != nil {
			return nil, err
		}
		list = append(list, service)
	}
	return list, nil
}
