// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/server/peer"
)

// report is the last status of an agent, which must not be changed; it is nil if the agent has sent none.
type report struct {
	number uint64 // channel.Session.Changed
	status *model.AgentStatus
}

// reporter is an agent as a netmaster names it.
type reporter struct{ master, host, instance string }

// reports are the last statuses of all agents. Other netmasters send only statuses that are not among them.
type reports struct {
	of    map[reporter]report
	since map[string]uint64 // highest number by netmaster
}

// query returns what a netmaster is asked.
func (r *reports) query(master string) peer.Query { return peer.Query{Since: r.since[master]} }

// next returns the reports after an answer. complete is false if a netmaster has left out a status that r does not have: its numbers began again,
// or its session with the agent was interrupted.
func (r *reports) next(served []channel.Served) (next *reports, complete bool) {
	complete = true
	next = &reports{of: make(map[reporter]report, len(r.of)), since: map[string]uint64{}}
	for i := range served {
		by := &served[i]
		for j := range by.Sessions {
			s := &by.Sessions[j]
			who := reporter{by.Master, s.Host, s.Instance}
			was, is := r.of[who]
			switch {
			case s.Changed > 0 && is && was.number == s.Changed:
			case len(s.Status) > 0:
				was = report{number: s.Changed}
				var status model.AgentStatus
				if json.Unmarshal(s.Status, &status) == nil {
					was.status = &status
				}
			default:
				was, complete = report{}, complete && s.Changed == 0
			}
			next.of[who] = was
			next.since[by.Master] = max(next.since[by.Master], s.Changed)
		}
	}
	return next, complete
}

// archive keeps the newest reports. Its methods are safe for concurrent use.
type archive struct{ last atomic.Pointer[reports] }

// ask asks all netmasters for their sessions, and returns them with the reports of their agents. It blocks for at most twice peer.Limit.
func (a *archive) ask(ctx context.Context, sessions func(context.Context, func(master string) peer.Query) []channel.Served) ([]channel.Served, *reports) {
	known := a.last.Load()
	if known == nil {
		known = &reports{}
	}
	served := sessions(ctx, known.query)
	next, complete := known.next(served)
	if !complete {
		known = &reports{}
		served = sessions(ctx, known.query)
		next, _ = known.next(served)
	}
	a.last.Store(next)
	return served, next
}
