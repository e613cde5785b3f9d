// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"fmt"
	"io"
)

// Snapshot returns the data of one member in the format that etcd's own tools restore, with etcd's checksum at its end. The caller must
// read it to the end, which ctx bounds, and close it.
func (s *Store) Snapshot(ctx context.Context) (io.ReadCloser, error) {
	out, err := s.client.Snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", s, err)
	}
	return out, nil
}
