// SPDX-License-Identifier: Apache-2.0

package authapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/server/peer"
)

// passTimeout is how long the leader may take to record the events of another netmaster.
const passTimeout = 5 * time.Second

// Pass returns a function that sends the leader the events that this netmaster has recorded. It fails while no other netmaster leads.
func Pass(e *cluster.Election, transport peer.Transport) func(context.Context, []model.AuditEvent) error {
	return func(ctx context.Context, events []model.AuditEvent) error {
		leader := e.Holder()
		if leader.Self || leader.Address == "" {
			return fmt.Errorf("no netmaster leads")
		}
		text, err := json.Marshal(events)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, passTimeout)
		defer cancel()
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, transport.URL(leader.Address, audit.Path), bytes.NewReader(text))
		if err != nil {
			return err
		}
		q.Header.Set("Accept", "application/json")
		answer, err := transport.HTTP.Do(q)
		if err != nil {
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", leader.Address, answer.Status)
		}
		return nil
	}
}
