package ovsdb

import (
	"context"
	"fmt"
)

// Remove makes the bridge be gone from the database with all its ports. ovs-vswitchd follows: the device of the bridge's name shows when
// it has. A bridge that is not there is success.
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
