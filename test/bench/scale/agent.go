package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
)

// agent is the agent of a host as far as it is told something.
type agent struct {
	tenant string // of its endpoints

	mu      sync.Mutex
	known   int                  // records of its first batch
	foreign int                  // records of other tenants that it was told of
	fulls   int                  // shards that were told as a whole
	failed  int                  // outages
	heard   map[string]time.Time // when a value of a record came, by what says which
}

// start has the agent follow netmasters until ctx ends.
func (w *world) start(ctx context.Context, i int) *agent {
	a := &agent{heard: map[string]time.Time{}, tenant: fmt.Sprint("t", i/hostsOfTenant)}
	urls := make([]string, len(w.masters))
	for n, m := range w.masters {
		urls[n] = m.url
	}
	c := channel.NewClient(channel.Options{Host: fmt.Sprint("h", i), Masters: func(context.Context) []string { return urls }, HTTP: channel.NewHTTP(), Log: slog.New(slog.DiscardHandler)})
	go func() {
		for b, err := range c.Follow(ctx) {
			a.take(&b, err)
		}
	}()
	return a
}

// take counts what comes.
func (a *agent) take(b *channel.Batch, err error) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.failed++
		return
	}
	first := a.known == 0
	for i := range b.Updates {
		u := &b.Updates[i]
		if u.Full {
			a.fulls++
		}
		if first {
			a.known += len(u.Items)
		}
		if tenant, is := u.Shard.OfTenant(); is && tenant != a.tenant {
			a.foreign += len(u.Items) + len(u.Gone)
		}
		for n := range u.Items {
			if word := changed(&u.Items[n]); word != "" {
				a.heard[word] = now
			}
		}
	}
	if first && a.known == 0 {
		a.known = 1
	}
}

// changed says which change a record is of, "" when it is of none: the common name of an endpoint, or a registration of mark.
func changed(i *channel.Item) string {
	if name, is := strings.CutPrefix(i.Key, record.Services+"bench/"); is {
		return name
	}
	_, rest, is := strings.Cut(string(i.Value), `"epCommonName":"`)
	if !is {
		return ""
	}
	name, _, _ := strings.Cut(rest, `"`)
	if strings.HasSuffix(name, "-0") {
		return ""
	}
	return name
}

// when is when a change came to the agent; ok is false while it has not.
func (a *agent) when(change string) (at time.Time, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, ok = a.heard[change]
	return at, ok
}
