// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
)

// master gives the answers that the test sets.
type master struct {
	mu    sync.Mutex
	err   error
	asked []record.Host
	left  []model.LeaveRequest
	heard chan struct{}
}

func (m *master) Register(_ context.Context, h record.Host) (record.Host, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, h)
	select {
	case m.heard <- struct{}{}:
	default:
	}
	return h, m.err
}

func (m *master) Leave(_ context.Context, q model.LeaveRequest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left = append(m.left, q)
	return nil
}

func (m *master) answers(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// An agent may continue as the host of its saved records if the machine and the seat are the same.
func TestRemembered(t *testing.T) {
	told := func(h record.Host) channel.Batch {
		text, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		return channel.Batch{Updates: []channel.Update{{Shard: channel.Cluster, Full: true, Items: []channel.Item{{Key: record.Hosts + h.Label, Value: text}}}}}
	}
	seat := record.Sum([]byte("secret"))
	for _, row := range []struct {
		name string
		told channel.Batch
		want bool
	}{
		{"the same", told(record.Host{Label: "h1", Machine: "m", Instance: seat}), true},
		{"another machine", told(record.Host{Label: "h1", Machine: "m2", Instance: seat}), false},
		{"the machine has started again", told(record.Host{Label: "h1", Machine: "m", Instance: "s"}), false},
		{"another tunnel end", told(record.Host{Label: "h1", Machine: "m", Instance: seat, VTEP: netip.MustParseAddr("192.0.2.1")}), false},
		{"another control address", told(record.Host{Label: "h1", Machine: "m", Instance: seat, Control: netip.MustParseAddrPort("192.0.2.1:9090")}), false},
		{"another host", told(record.Host{Label: "h2", Machine: "m", Instance: seat}), false},
		{"nothing", channel.Batch{}, false},
	} {
		c := New(Options{Host: record.Host{Label: "h1", Machine: "m"}, Log: slog.New(slog.DiscardHandler)})
		held := false
		got := c.Was("secret", row.told)
		c.Sit("secret", got)
		select {
		case <-c.Held():
			held = true
		default:
		}
		if got != row.want || held != row.want || c.State() != Unknown {
			t.Errorf("%s: want remembered %t and the standing unknown, got %t, held %t, standing %d", row.name, row.want, got, held, c.State())
		}
	}
}

// older answers like a leader of an earlier build without reports of addresses and interfaces: it stores only the fields of that build.
type older struct{ *master }

func (m older) Register(ctx context.Context, h record.Host) (record.Host, error) {
	h, err := m.master.Register(ctx, h)
	h.Own, h.Interfaces = nil, nil
	return h, err
}

// A leader that does not store the reported addresses still grants the claim. The agent repeats the claim later, for a leader that does.
func TestOlderLeader(t *testing.T) {
	m := &master{heard: make(chan struct{}, 1)}
	for _, row := range []struct {
		name   string
		master Master
		report bool
		want   time.Duration
	}{{"nothing to report", older{m}, false, 0}, {"an older leader", older{m}, true, olderPause}, {"a leader that knows of it", m, true, 0}} {
		c := New(Options{Master: row.master, Host: record.Host{Label: "h1", Machine: "m"}, Log: slog.New(slog.DiscardHandler)})
		if row.report {
			c.Report([]netip.Prefix{netip.MustParsePrefix("192.0.2.1/24")}, []string{"eth0"})
		}
		if got := c.try(t.Context()); got != row.want || c.State() != Granted {
			t.Errorf("%s: want it granted and repeated after %s, got standing %d, %s", row.name, row.want, c.State(), got)
		}
	}
}

// A claim has the seat. It is repeated after a refusal and on request, and released in the end.
func TestClaim(t *testing.T) {
	m := &master{heard: make(chan struct{}, 1)}
	c := New(Options{Master: m, Host: record.Host{Label: "h1", Machine: "m"}, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	await := func(what string, is func() bool) {
		t.Helper()
		deadline := time.After(20 * time.Second)
		for !is() {
			select {
			case <-m.heard:
			case <-time.After(time.Millisecond):
			case <-deadline:
				t.Fatalf("want %s; refusal %q, silence %q", what, c.Refusal(), c.Silence())
			}
		}
	}
	m.answers(model.Errorf(model.CodeUnavailable, "", "no leader"))
	if c.State() != Unknown || c.Refusal() != "" || c.Instance() != "" {
		t.Error("before the seat: want nothing owned and nothing refused")
	}
	c.Sit("secret", false)
	await("the silence reported", func() bool { return c.Silence() == "no leader" && c.Refusal() == "" })
	m.answers(model.Errorf(model.CodeConflict, "host", "host label h1 belongs to another").Try("--host"))
	await("the refusal reported", func() bool {
		return c.Refusal() == "host label h1 belongs to another (--host)" && c.Silence() == "" && c.State() == Refused
	})
	m.answers(nil)
	await("it to be granted", func() bool { return c.State() == Granted })
	<-c.Held()
	if c.Refusal()+c.Silence() != "" {
		t.Errorf("owned: want no refusal and no silence, got %q, %q", c.Refusal(), c.Silence())
	}
	count := func() int {
		m.mu.Lock()
		defer m.mu.Unlock()
		return len(m.asked)
	}
	before := count()
	c.Again()
	await("it repeated", func() bool { return count() > before })
	own := []netip.Prefix{netip.MustParsePrefix("192.0.2.1/24")}
	c.Report(own, []string{"eth0", "a name"})
	last := func() record.Host {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.asked[len(m.asked)-1]
	}
	await("what it has reported", func() bool { return slices.Equal(last().Own, own) && slices.Equal(last().Interfaces, []string{"eth0"}) })
	c.Report(slices.Repeat(own, record.MaxOwn+1), slices.Repeat([]string{"eth0"}, record.MaxInterfaces+1))
	await("reports limited to what netmasters accept", func() bool {
		return len(last().Own) == record.MaxOwn && len(last().Interfaces) == record.MaxInterfaces
	})
	cancel()
	if err := <-done; err != nil {
		t.Errorf("the end: want no error, got %v", err)
	}
	if len(m.left) != 1 || m.left[0] != (model.LeaveRequest{Host: "h1", Instance: c.Instance()}) || c.Instance() == "secret" {
		t.Errorf("the end: want the agent to leave by the hash of its seat, got %+v", m.left)
	}
	for _, h := range m.asked {
		if h.Instance != c.Instance() || h.Label != "h1" {
			t.Errorf("want h1 asked for with the seat, got %+v", h)
		}
	}
}
