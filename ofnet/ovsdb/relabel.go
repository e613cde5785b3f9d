// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"fmt"
	"maps"
)

// Relabel gives existing ports another IDEndpoint, by their names, in one transaction; it skips missing ones.
func (s *Switch) Relabel(ctx context.Context, endpoints map[string]string) error {
	ops := []Op{s.guard()}
	s.db.View(func(t *Tables) {
		for name, endpoint := range endpoints {
			if _, have, ok := t.Interface(name); ok && have.ExternalIDs[IDEndpoint] != endpoint {
				ids := maps.Clone(have.ExternalIDs)
				ids[IDEndpoint] = endpoint
				ops = append(ops, Update("Interface", Row{"external_ids": Map(ids)}, Is("name", name)))
			}
		}
	})
	if len(ops) == 1 {
		return nil
	}
	if _, err := s.db.Transact(ctx, ops...); err != nil {
		return fmt.Errorf("name the endpoints of ports again: %w", s.explain(err))
	}
	return nil
}
