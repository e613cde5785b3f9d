package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/task"
)

func decode(i store.Item) (record.Service, error) {
	var s record.Service
	if err := json.Unmarshal(i.Value, &s); err != nil {
		return record.Service{}, fmt.Errorf("service %s: %w", i.Key, err)
	}
	return s, nil
}

// Members is a view of all registered services that follows the store. It is a task. While the store is away the view
// stays as it was.
type Members struct {
	store store.Store
	log   *slog.Logger
	ready chan struct{}

	mu       sync.Mutex
	services map[string]record.Service // by key
	revision store.Revision
	changed  chan struct{}
}

var _ task.Task = (*Members)(nil)

// NewMembers makes an empty view; Run fills it.
func NewMembers(s store.Store, log *slog.Logger) *Members {
	return &Members{
		store: s, log: log, ready: make(chan struct{}), changed: make(chan struct{}), services: map[string]record.Service{},
	}
}

// Ready is closed when the view is filled.
func (m *Members) Ready() <-chan struct{} { return m.ready }

func (m *Members) String() string { return "service view" }

// List is the instances of a service, ordered by key.
func (m *Members) List(name string) []record.Service {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []record.Service
	for key, s := range m.services {
		if strings.HasPrefix(key, record.Services+name+"/") {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b record.Service) int { return cmp.Compare(a.Key(), b.Key()) })
	return list
}

// Changed is closed at the next change of the view. Take it before you List.
func (m *Members) Changed() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// Run follows the store until ctx ends and returns nil; it ends with an error only when the store is closed.
func (m *Members) Run(ctx context.Context) error {
	for u, err := range m.store.Watch(ctx, record.Services) {
		if err != nil {
			m.log.Warn("services cannot be watched", "error", err)
			continue
		}
		m.apply(u)
	}
	if ctx.Err() == nil {
		return fmt.Errorf("watch services: %w", store.ErrClosed)
	}
	return nil
}

func (m *Members) apply(u store.Update) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if u.Full {
		clear(m.services)
	}
	for _, key := range u.Gone {
		delete(m.services, key)
	}
	for _, i := range u.Items {
		s, err := decode(i)
		if err != nil {
			m.log.Warn("a registration is not readable", "error", err)
			delete(m.services, i.Key)
			continue
		}
		m.services[i.Key] = s
	}
	m.revision = u.Revision
	close(m.changed)
	m.changed = make(chan struct{})
	select {
	case <-m.ready:
	default:
		close(m.ready)
	}
}
