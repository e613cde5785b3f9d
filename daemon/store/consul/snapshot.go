// SPDX-License-Identifier: Apache-2.0

package consul

import (
	"context"
	"fmt"
	"io"

	"github.com/hashicorp/consul/api"
)

// Snapshot returns the complete contents of the Consul cluster, including other programs' data, from its leader (GET /v1/snapshot): a
// compressed archive with checksums. The caller must read it to the end, which ctx bounds, and close it. With ACLs the token needs Consul's
// management rights.
func (s *Store) Snapshot(ctx context.Context) (io.ReadCloser, error) {
	out, _, err := s.client().Snapshot().Save((&api.QueryOptions{}).WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", s, err)
	}
	return out, nil
}

// Restore replaces the complete contents of the Consul cluster, including other programs' data, by those of a Snapshot (PUT /v1/snapshot).
func (s *Store) Restore(ctx context.Context, from io.Reader) error {
	if err := s.client().Snapshot().Restore((&api.WriteOptions{}).WithContext(ctx), from); err != nil {
		return fmt.Errorf("restore of %s: %w", s, err)
	}
	return nil
}
