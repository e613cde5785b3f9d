// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/store"
)

// refusalsNamed is the number of addresses in the condition of a service.
const refusalsNamed = 5

// watchStore finds, after every change of the store, the addresses that services name and do not get, and the parts of policies that are
// not in force, until ctx ends.
func (e *Engine) watchStore(ctx context.Context) {
	tick := time.NewTicker(e.Compare)
	defer tick.Stop()
	var seen store.Revision
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := map[string][]string{}
		var lacks map[string]string
		changed := false
		e.Catalog.View(func(v *catalog.View) {
			if changed = v.Revision() != seen; !changed {
				return
			}
			seen = v.Revision()
			for _, r := range v.RefusedAddresses() {
				key := r.Service.String()
				now[key] = append(now[key], r.String())
			}
			lacks = lacking(v)
		})
		if changed {
			e.refuse(now)
			e.lack(lacks)
		}
	}
}

// refuse records the addresses that services do not get, as texts, and schedules their statuses.
func (e *Engine) refuse(now map[string][]string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	was, first := e.known.refused, e.known.refused == nil
	e.known.refused = map[string]string{}
	for key, list := range now {
		text := strings.Join(list[:min(len(list), refusalsNamed)], "; ")
		if more := len(list) - refusalsNamed; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		e.known.refused[key] = "the service does not have addresses that it names: " + text
	}
	for key, s := range e.known.services {
		if want := e.known.refused[key]; want != was[key] || first && want != s.Status.Refused {
			e.known.unreported[key] = struct{}{}
		}
	}
	e.wakeReporter()
}
