// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"fmt"
)

// Remove removes the bridge from the database with all its ports. ovs-vswitchd follows: when the device of the bridge's name is gone, it
// has done so. A missing bridge is success.
func (s *Switch) Remove(ctx context.Context) error {
	var gone Set
	s.db.View(func(t *Tables) {
		if id, _, ok := t.Bridge(s.name); ok {
			gone = Set{id}
		}
	})
	if gone == nil {
		return nil
	}
	if _, err := s.db.Transact(ctx, Mutate("Open_vSwitch", "bridges", "delete", gone)); err != nil {
		return fmt.Errorf("remove bridge %s: %w", s.name, err)
	}
	return nil
}
