package ovsdb

import (
	"context"
	"fmt"
)

// Capabilities returns what a datapath of the bridge's type supports, from table Datapath (ovs-vswitchd.conf.db(5)). ovs-vswitchd fills in rows
// that exist, so Capabilities creates the row if there is none. The bridge must exist. It blocks until ovs-vswitchd has filled the row in, or
// ctx ends.
func (s *Switch) Capabilities(ctx context.Context) (out map[string]string, err error) {
	kind := s.DatapathType()
	there := false
	s.db.View(func(t *Tables) { there = t.datapath(kind) != nil })
	if !there {
		const row = Named("datapath")
		add := Op{"op": "mutate", "table": "Open_vSwitch", "where": where(nil),
			"mutations": []any{[]any{"datapaths", "insert", [2]any{"map", [][2]any{{kind, row}}}}}}
		if _, err := s.db.Transact(ctx, Insert("Datapath", row, Row{"datapath_version": ""}), add); err != nil {
			return nil, fmt.Errorf("ask ovs-vswitchd what datapath %s can do: %w", kind, err)
		}
	}
	err = s.db.Await(ctx, func(t *Tables) (bool, error) {
		if d := t.datapath(kind); d != nil {
			out = d.Capabilities
		}
		return len(out) > 0, nil
	})
	if err != nil {
		return nil, fmt.Errorf("wait until ovs-vswitchd lists the capabilities of datapath %s (is it running?): %w", kind, err)
	}
	return out, nil
}
