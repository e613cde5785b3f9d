// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"context"
	"fmt"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/server/peer"
)

// A netmaster sends only statuses that another one does not have, and all again after it or its session with the agent was interrupted.
func TestReportsAreSentOnce(t *testing.T) {
	type session struct {
		number uint64
		flows  int
	}
	var a archive
	for _, step := range []struct {
		name     string
		sessions map[string]session // by host
		requests int
		sent     int // statuses
	}{
		{"the first request", map[string]session{"h1": {101, 1}, "h2": {102, 2}}, 1, 2},
		{"nothing has changed", map[string]session{"h1": {101, 1}, "h2": {102, 2}}, 1, 0},
		{"one agent has reported", map[string]session{"h1": {101, 1}, "h2": {103, 3}}, 1, 1},
		{"an agent comes, which has sent no status", map[string]session{"h1": {101, 1}, "h2": {103, 3}, "h3": {}}, 1, 0},
		{"a session is interrupted", map[string]session{"h2": {103, 3}, "h3": {}}, 1, 0},
		{"and continues", map[string]session{"h1": {101, 1}, "h2": {103, 3}, "h3": {104, 4}}, 2, 4},
		{"the netmaster starts again", map[string]session{"h1": {501, 5}, "h2": {502, 6}, "h3": {503, 7}}, 1, 3},
		{"it starts again, and its clock is behind", map[string]session{"h1": {201, 8}, "h2": {202, 9}, "h3": {203, 10}}, 2, 3},
		{"it does not number", map[string]session{"h1": {0, 11}, "h2": {0, 12}, "h3": {0, 13}}, 1, 3},
		{"nor later", map[string]session{"h1": {0, 14}, "h2": {0, 15}, "h3": {0, 16}}, 1, 3},
	} {
		t.Run(step.name, func(t *testing.T) {
			requests, sent := 0, 0
			served, known := a.ask(t.Context(), func(_ context.Context, query func(string) peer.Query) []channel.Served {
				requests++
				q := query("m2")
				out := channel.Served{Master: "m2"}
				for host, s := range step.sessions {
					one := channel.Session{Host: host, Instance: "i", Changed: s.number}
					if s.flows > 0 && (s.number == 0 || s.number > q.Since) {
						one.Status = fmt.Appendf(nil, `{"flows":%d}`, s.flows)
						sent++
					}
					out.Sessions = append(out.Sessions, one)
				}
				return []channel.Served{out}
			})
			if requests != step.requests || sent != step.sent {
				t.Errorf("want %d requests and %d statuses sent, got %d and %d", step.requests, step.sent, requests, sent)
			}
			contacts := newContacts(served, known)
			for host, want := range step.sessions {
				flows := 0
				if status := contacts.sessions[host][0].status; status != nil {
					flows = status.Flows
				}
				if flows != want.flows {
					t.Errorf("%s: want the status with %d flows, got %d", host, want.flows, flows)
				}
			}
		})
	}
}

// A netmaster that does not answer sends all when it does again.
func TestReportsOfASilentNetmaster(t *testing.T) {
	var a archive
	for i, row := range []struct {
		err   error
		since uint64
	}{{nil, 0}, {nil, 7}, {context.DeadlineExceeded, 7}, {nil, 0}, {nil, 7}} {
		a.ask(t.Context(), func(_ context.Context, query func(string) peer.Query) []channel.Served {
			if got := query("m2").Since; got != row.since {
				t.Errorf("request %d: want statuses after %d, got %d", i, row.since, got)
			}
			if row.err != nil {
				return []channel.Served{{Master: "m2", Err: row.err}}
			}
			return []channel.Served{{Master: "m2", Sessions: []channel.Session{{Host: "h1", Changed: 7, Report: channel.Report{Status: []byte(`{}`)}}}}}
		})
	}
}
