// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/channel"
)

// Report applies an agent's report. An absent status is unchanged. It may be called concurrently with the other methods.
func (s *Stream) Report(r channel.Report) {
	s.relay.mu.Lock()
	defer s.relay.mu.Unlock()
	if r.Status == nil {
		r.Status = s.session.Status
	} else {
		s.relay.statuses++
		s.session.Changed = s.relay.statuses
	}
	now := time.Now()
	s.compare(&r, now)
	r.Step, r.Digests = 0, nil // they belong to this stream only
	s.session.Report, s.session.Received = r, now
}

// silent reports whether the agent has stopped reporting.
func (s *Stream) silent(now time.Time) bool {
	s.relay.mu.Lock()
	defer s.relay.mu.Unlock()
	return s.session.Silent(now)
}

// Sessions returns the live agents that this netmaster serves, ordered by host; of several that claim to be the same instance of a host,
// the newest.
func (r *Relay) Sessions() []channel.Session {
	type who struct{ host, seat string }
	newest, differed := map[who]channel.Session{}, map[who][]channel.Difference{}
	now := time.Now()
	r.mu.Lock()
	for st := range r.streams {
		if st.session.Silent(now) {
			continue
		}
		w := who{st.session.Host, st.session.Instance}
		if was, is := newest[w]; !is || was.Since.Before(st.session.Since) {
			newest[w] = st.session
			differed[w] = st.differed(now)
		}
	}
	r.mu.Unlock()
	out := make([]channel.Session, 0, len(newest))
	for w, s := range newest {
		s.Differed = differed[w]
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b channel.Session) int {
		return strings.Compare(a.Host+"\x00"+a.Instance, b.Host+"\x00"+b.Instance)
	})
	return out
}
