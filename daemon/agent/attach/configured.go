// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"fmt"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/link"
)

// Configured is an attachment with the expected configuration of its interface.
type Configured struct {
	Attachment
	Endpoint record.Endpoint
	Config   link.Config
}

// Configured lists all attachments whose container's namespace is known and that no operation of this process holds, ordered by port name,
// and an error for each whose configuration is unknown. It blocks only if the store must be asked for a network.
func (e *Engine) Configured(ctx context.Context) (out []Configured, errs map[string]error) {
	errs = map[string]error{}
	for _, a := range e.List() {
		ep, ok := e.Flows.Endpoint(a.StateID)
		if !ok || a.Netns == "" || e.locks.isBusy(a.Port.Name) {
			continue // drift reports a port without an endpoint
		}
		n, err := e.Flows.Network(ctx, ep.ID.Network)
		if err != nil {
			errs[a.StateID] = fmt.Errorf("network of %s: %w", a.StateID, err)
			continue
		}
		res, err := e.result(a.IfName, a.Netns, a.Port.Name, ep, n)
		if err != nil {
			errs[a.StateID] = err
			continue
		}
		out = append(out, Configured{Attachment: a, Endpoint: ep, Config: e.config(&res)})
	}
	return out, errs
}
