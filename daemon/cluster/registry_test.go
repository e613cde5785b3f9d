// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"encoding/json"
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
	case <-time.After(timeout):
		tb.Fatalf("%s is not ready after %s", t, timeout)
	}
	return stop
}

// until waits until the instances of a service have these ports.
func until(tb testing.TB, db store.Store, name string, ports ...int) {
	tb.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(timeout)
	for {
		list, err := registered(tb.Context(), db, name)
		var got []int
		for _, s := range list {
			got = append(got, s.Port)
		}
		if err == nil && slices.Equal(got, ports) {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			tb.Fatalf("%s: want ports %v, got %v, %v", name, ports, got, err)
		}
	}
}

func TestRegistry(t *testing.T) {
	db, log := memory.New(), slog.New(slog.DiscardHandler)
	mine := db.Open()
	r := NewRegistry(mine, 300*time.Millisecond, log, service("netmaster", 1), service("netplugin", 2))
	stop := start(t, r)
	until(t, db, "netmaster", 1)
	until(t, db, "netplugin", 2)
	r.Set(service("netmaster", 1), service("netmaster", 3))
	until(t, db, "netmaster", 1, 3)
	until(t, db, "netplugin")
	list, err := registered(t.Context(), db, "netmaster")
	if err != nil || len(list) != 2 || list[0].Port != 1 {
		t.Errorf("services: got %+v (%v)", list, err)
	}
	mine.Away()
	until(t, db, "netmaster")
	mine.Back()
	until(t, db, "netmaster", 1, 3)
	stop()
	until(t, db, "netmaster")
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
	s.Role = "leader"
	r.Set(s)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(timeout); ; {
		list, err := registered(t.Context(), db, "netmaster")
		if err == nil && len(list) == 1 && list[0].Role == "leader" && list[0].TTL == 10 {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("want a leader, got %+v, %v", list, err)
		}
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
		var service record.Service
		if err := json.Unmarshal(i.Value, &service); err != nil {
			return nil, err
		}
		list = append(list, service)
	}
	return list, nil
}
