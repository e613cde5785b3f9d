// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"time"

	"github.com/contiv/contiv/api/model"
)

// Status is the agent's report about its engine. k is nil if it does not sync the networks.
func Status(w *Watcher, k *NetworkSyncer) *model.DockerStatus {
	s := w.State()
	out := &model.DockerStatus{Here: s.Here, Reason: s.Why, Since: s.Since.UTC().Format(time.RFC3339), ID: s.Identity.ID, Version: s.Identity.Version}
	if s.Complete {
		n := len(s.Containers)
		out.Containers = &n
	}
	if k != nil {
		out.Networks, out.Problems = k.status()
	}
	return out
}
