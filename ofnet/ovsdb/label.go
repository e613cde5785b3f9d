// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"fmt"
	"maps"
)

// Label sets one external id of an existing port, or removes it if value is empty. A missing port is an error unless the id is to be
// removed.
func (s *Switch) Label(ctx context.Context, port, key, value string) error {
	ops := []Op{s.guard()}
	found := false
	s.db.View(func(t *Tables) {
		_, have, ok := t.Interface(port)
		if found = ok; !ok || have.ExternalIDs[key] == value {
			return
		}
		ids := maps.Clone(have.ExternalIDs)
		if ids == nil {
			ids = map[string]string{}
		}
		if ids[key] = value; value == "" {
			delete(ids, key)
		}
		ops = append(ops, Update("Interface", Row{"external_ids": Map(ids)}, Is("name", port)))
	})
	if !found && value != "" {
		return fmt.Errorf("label port %s: there is no such port", port)
	}
	if len(ops) == 1 {
		return nil
	}
	if _, err := s.db.Transact(ctx, ops...); err != nil {
		return fmt.Errorf("label port %s: %w", port, s.explain(err))
	}
	return nil
}
