package consul

import (
	"context"
	"fmt"
	"io"

	"github.com/hashicorp/consul/api"
)

// Snapshot returns all that the Consul cluster holds, what is not Contiv's too, by its leader (GET /v1/snapshot): a compressed archive with checksums. The caller reads it
// to the end, which ctx bounds, and closes it. With ACLs the token needs the management rights that Consul asks for.
func (s *Store) Snapshot(ctx context.Context) (io.ReadCloser, error) {
	out, _, err := s.client().Snapshot().Save((&api.QueryOptions{}).WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", s, err)
	}
	return out, nil
}

// Restore replaces all that the Consul cluster holds, what is not Contiv's too, by a snapshot of Snapshot (PUT /v1/snapshot).
func (s *Store) Restore(ctx context.Context, from io.Reader) error {
	if err := s.client().Snapshot().Restore((&api.WriteOptions{}).WithContext(ctx), from); err != nil {
		return fmt.Errorf("restore of %s: %w", s, err)
	}
	return nil
}
