// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/contiv/contiv/trust"
)

// Fetch gets the answer of the daemon of a role at an address "host:port" for a path, unparsed, of at most maxBytes. It sends an agent one request at a time,
// and blocks for at most limit.
func (p *Peers) Fetch(ctx context.Context, role trust.Role, address, path string, maxBytes int64, limit time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	leave, err := p.turns.acquire(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("is still answering others: %w", err)
	}
	defer leave()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, p.transport.URL(address, path), nil)
	if err != nil {
		return nil, err
	}
	by := p.transport.HTTP
	if role == trust.Agent {
		by = p.transport.Agents
	}
	answer, err := by.Do(q)
	if err != nil {
		return nil, fmt.Errorf("did not answer: %w", errors.Unwrap(err))
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("broke off its answer: %w", err)
	case int64(len(text)) > maxBytes:
		return nil, fmt.Errorf("has more than %d MiB to say", maxBytes>>20)
	case answer.StatusCode != http.StatusOK:
		detail := strings.TrimSpace(string(text[:min(len(text), 200)]))
		return nil, &StatusError{answer.StatusCode, detail}
	}
	return text, nil
}

// StatusError is the answer of a daemon that refuses or fails.
type StatusError struct {
	Status int // HTTP
	Text   string
}

// Error has the status and the daemon's text.
func (e *StatusError) Error() string { return fmt.Sprintf("answered %d: %s", e.Status, e.Text) }
