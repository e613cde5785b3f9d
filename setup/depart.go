// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// depart removes the host from the cluster.
func (l *Leave) depart(ctx context.Context) (string, error) {
	h := l.Host
	role, request := trust.Agent, model.DepartRequest{}
	if h.Trust().Has(trust.Agent) {
		request.Agent = l.Label
	}
	if h.Trust().Has(trust.Master) {
		role, request.Master = trust.Master, l.Label
	}
	if request == (model.DepartRequest{}) {
		return "", nil // it has left before
	}
	c, err := h.Client(role, readyTimeout, h.Netmasters()...)
	if err != nil {
		return "", err
	}
	if request.Master != "" { // its own view of the cluster ends when its member of the store is removed
		lead, err := c.Lead(ctx)
		if err != nil {
			return "", err
		}
		if c, err = h.Client(role, readyTimeout, lead.Holder); err != nil {
			return "", err
		}
	}
	out, err := l.report(ctx, c, request)
	if err != nil && departed(err) {
		return "left the cluster as " + l.Label, nil // the answer was lost, and the certificates were revoked
	}
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("left the cluster as %s, and revoked %d certificates", l.Label, len(out.Revoked))
	if len(out.Endpoints) > 0 {
		text += fmt.Sprintf("; %d endpoints remain: netctl node forget --release %s deletes them", len(out.Endpoints), l.Label)
	}
	return text, nil
}

// endedTimeout is the maximum time for which leaving repeats its report. Netmasters count an agent as running for less after it was killed, or after
// the report of its end was lost.
const endedTimeout = 15 * time.Second

// departInterval is the time between two reports.
const departInterval = time.Second

// report reports the removal of the host. An agent that contiv leave has stopped may still count as running, so it blocks for at most
// endedTimeout; an agent that is started by hand may really run, and is refused at once.
func (l *Leave) report(ctx context.Context, c *client.Client, request model.DepartRequest) (model.Departed, error) {
	limited, cancel := context.WithTimeout(ctx, endedTimeout)
	defer cancel()
	for {
		out, err := c.Depart(ctx, request)
		var e *model.Error
		if l.Uninstall == nil || !errors.As(err, &e) || e.Code != model.CodeInUse || e.Field != "host" {
			return out, err
		}
		select {
		case <-time.After(cmp.Or(l.interval, departInterval)):
		case <-limited.Done():
			return out, err
		}
	}
}

// departed reports whether a netmaster refused the request because this host's certificate is revoked.
func departed(err error) bool {
	var e *model.Error
	return errors.As(err, &e) && e.Code == model.CodeUnavailable && strings.Contains(e.Message, "bad certificate")
}
