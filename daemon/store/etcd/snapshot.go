package etcd

import (
	"context"
	"fmt"
	"io"
)

// Snapshot returns what one member holds, as etcd's own tools restore it, with etcd's checksum at its end. The caller reads it to the end, which ctx bounds, and closes it.
func (s *Store) Snapshot(ctx context.Context) (io.ReadCloser, error) {
	out, err := s.client.Snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", s, err)
	}
	return out, nil
}
