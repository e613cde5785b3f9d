// SPDX-License-Identifier: Apache-2.0

package netmaster

import (
	"sync/atomic"

	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/server"
)

// Assemble returns all parts of the netmaster, and the server of their routes. front configures the server's listeners and limits; Assemble fills in the rest.
func (m *Master) Assemble(front server.Config) (*server.Server, part.Part, error) {
	var ready part.Readiness
	front.Waiting = ready.Missing
	if m.Waiting != nil {
		front.Waiting = m.Waiting
	}
	front.Catalog, front.Commit, front.Leadership, front.Users, front.Transport = m.Catalog, m.Commit, m.Leadership, m.Users, m.Others
	front.Keep = m.Keep
	front.Recorder = server.Recorder{Audit: m.Audit, Insecure: m.Insecure}
	front.Internal, front.Insecure, front.Incarnation, front.Log = m.Internal, m.Insecure, m.Incarnation, m.Log
	front.Elsewhere, front.Answered = &server.Elsewhere{}, &atomic.Uint64{}
	all := m.Parts(&front)
	ready.Of(all)
	s, err := server.New(front, all)
	return s, all, err
}
