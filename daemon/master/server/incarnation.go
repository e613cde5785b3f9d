// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// identifies adds the incarnation of the store to every answer, and refuses the requests of agents whose hosts know another one: this netmaster decides
// about the containers of another cluster, or about an older state of this one.
func (s *Server) identifies(next http.Handler) http.Handler {
	if s.Incarnation.ID == "" {
		return next
	}
	text, _ := json.Marshal(s.Incarnation) // of texts and a time
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set(model.IncarnationHeader, s.Incarnation.ID)
		if q.URL.Path == channel.Path {
			w.Header().Set(model.IncarnationRecord, string(text))
		}
		known := q.Header.Get(model.KnownIncarnationHeader)
		if known != "" && record.RelationOf(known, &s.Incarnation) == record.Another {
			if who, ok := trust.Peer(q.TLS); ok && who.Role == trust.Agent {
				s.Elsewhere.record(who.Name, known, time.Now())
			}
			httpserver.Refuse(w, q, model.Errorf(model.CodeUnavailable, "", "the store of this netmaster is another one than this host's: its incarnation is %s, and that which the host knows is %.40q", s.Incarnation.ID, known).
				Try("have the netmaster use the store of its cluster (docs/how-to/wrong-store.md); containers keep their network meanwhile"))
			return
		}
		next.ServeHTTP(w, q)
	})
}

// Elsewhere records the agents that were refused because their hosts know another store. Its methods are safe for concurrent use.
type Elsewhere struct {
	mu    sync.Mutex
	hosts map[string]refusedAgent
}

type refusedAgent struct {
	known string // id of an incarnation
	at    time.Time
}

// Bounds of the record.
const (
	maxElsewhere = 4096             // hosts
	elsewhereFor = 15 * time.Second // an agent asks every two seconds
)

// record adds an agent that was refused.
func (e *Elsewhere) record(host, known string, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hosts == nil {
		e.hosts = map[string]refusedAgent{}
	}
	if _, is := e.hosts[host]; is || len(e.hosts) < maxElsewhere {
		e.hosts[host] = refusedAgent{known, at}
	}
}

// List returns the hosts of the agents that were refused lately, with the id of the incarnation that each knows.
func (e *Elsewhere) List(now time.Time) map[string]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := map[string]string{}
	for host, r := range e.hosts {
		if now.Sub(r.at) > elsewhereFor {
			delete(e.hosts, host)
			continue
		}
		out[host] = r.known
	}
	return out
}
