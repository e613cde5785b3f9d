// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"

	"golang.org/x/sync/errgroup"
)

// deletePath is the path of an engine's request to delete an endpoint.
const deletePath = "/NetworkDriver.DeleteEndpoint"

// Bounds of the deletions that a proxy keeps: an engine's are a few hundred bytes.
const (
	maxDeletion = 4 << 10
	maxMissed   = 10_000
	maxTogether = 64 // sent at once
)

// missed sends requests to an agent, and before them the deletions of endpoints that the agent has missed while it was away. An engine
// sends these once (see owed), and may start the same container next, with the same address and published ports. A proxy that ends loses
// them; then the endpoints count as gone once it is certain that the engine does not have them.
type missed struct {
	http.RoundTripper

	mu        sync.Mutex
	deletions [][]byte // requests' bodies
}

// RoundTrip implements http.RoundTripper.
func (m *missed) RoundTrip(r *http.Request) (*http.Response, error) {
	m.repay(r.Context())
	if r.URL.Path != deletePath || r.Body == nil {
		return m.RoundTripper.RoundTrip(r)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxDeletion+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxDeletion {
		return nil, fmt.Errorf("a deletion has more than %d bytes", maxDeletion)
	}
	out, err := m.send(r.Context(), body)
	if err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.deletions) < maxMissed {
			m.deletions = append(m.deletions, body)
		}
	}
	return out, err
}

// repay sends missed deletions, and keeps those without an answer. Others wait meanwhile: a few seconds, even if the agent's requests
// fail.
func (m *missed) repay(ctx context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 2*brief)
	defer cancel()
	answered := make([]bool, len(m.deletions))
	var sending errgroup.Group
	sending.SetLimit(maxTogether)
	for i, body := range m.deletions {
		sending.Go(func() error {
			r, err := m.send(ctx, body)
			if err == nil {
				_, _ = io.Copy(io.Discard, r.Body) // an agent that fails to delete it retries
				_ = r.Body.Close()
				answered[i] = true
			}
			return nil
		})
	}
	_ = sending.Wait()
	kept := m.deletions[:0]
	for i, body := range m.deletions {
		if !answered[i] {
			kept = append(kept, body)
		}
	}
	m.deletions = kept
}

func (m *missed) send(ctx context.Context, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://agent"+deletePath, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("delete an endpoint: %w", err)
	}
	r.Header.Set("Content-Type", contentType)
	return m.RoundTripper.RoundTrip(r)
}
