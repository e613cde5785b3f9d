// SPDX-License-Identifier: Apache-2.0

package part

import "sync/atomic"

// Readiness returns what a netmaster waits for. It exists before the parts do, some of which show it. Its methods are safe for concurrent use.
type Readiness struct{ of atomic.Pointer[Part] }

// Of sets the parts.
func (r *Readiness) Of(p Part) { r.of.Store(&p) }

// Missing returns what the parts wait for; before Of, the parts themselves.
func (r *Readiness) Missing() []string {
	if p := r.of.Load(); p != nil {
		return p.Missing()
	}
	return []string{"its parts"}
}
