// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"encoding/json"
	"fmt"
)

// table holds the rows of one table. Rows are never changed in place, so callers may keep them.
type table[R any] struct {
	name    string
	columns []column[R]
	rows    map[UUID]*R
	key     func(*R) string // of the index; nil: no index
	byKey   map[string]UUID
}

func newTable[R any](name string, columns []column[R], key func(*R) string) *table[R] {
	return &table[R]{name: name, columns: columns, rows: map[UUID]*R{}, key: key, byKey: map[string]UUID{}}
}

func (t *table[R]) names() []string {
	out := make([]string, len(t.columns))
	for i, c := range t.columns {
		out[i] = c.name
	}
	return out
}

// rowUpdate is RFC 7047's <row-update>: old is the previous content, new the content from now on.
type rowUpdate struct {
	New map[string]json.RawMessage `json:"new"`
}

func (t *table[R]) apply(raw json.RawMessage) error {
	var updates map[UUID]rowUpdate
	if err := json.Unmarshal(raw, &updates); err != nil {
		return fmt.Errorf("%w: table %s: %w", ErrMalformed, t.name, err)
	}
	for id, u := range updates {
		if u.New == nil {
			t.remove(id)
			continue
		}
		row := new(R)
		if old := t.rows[id]; old != nil {
			*row = *old
		}
		for _, c := range t.columns {
			if value, ok := u.New[c.name]; ok {
				if err := c.decode(row, value); err != nil {
					return fmt.Errorf("table %s: row %.40s: %w", t.name, id, err)
				}
			}
		}
		t.remove(id)
		t.rows[id] = row
		if t.key != nil {
			t.byKey[t.key(row)] = id
		}
	}
	return nil
}

func (t *table[R]) remove(id UUID) {
	old := t.rows[id]
	if old == nil {
		return
	}
	delete(t.rows, id)
	if t.key != nil && t.byKey[t.key(old)] == id {
		delete(t.byKey, t.key(old))
	}
}

func (t *table[R]) get(key string) (UUID, *R, bool) {
	id, ok := t.byKey[key]
	return id, t.rows[id], ok
}

// Tables are the rows received by the monitor so far. They may only be read inside Client.View and Client.Await; the rows themselves are
// never changed and may be kept.
type Tables struct {
	root       *table[Root]
	bridges    *table[BridgeRow]
	ports      *table[PortRow]
	interfaces *table[InterfaceRow]
	flowTables *table[FlowTableRow]
	datapaths  *table[DatapathRow]
}

func newTables() *Tables {
	return &Tables{
		root:       newTable("Open_vSwitch", rootColumns(), nil),
		bridges:    newTable("Bridge", bridgeColumns(), func(r *BridgeRow) string { return r.Name }),
		ports:      newTable("Port", portColumns(), func(r *PortRow) string { return r.Name }),
		interfaces: newTable("Interface", interfaceColumns(), func(r *InterfaceRow) string { return r.Name }),
		datapaths:  newTable("Datapath", datapathColumns(), nil),
		flowTables: newTable("Flow_Table", flowTableColumns(), nil),
	}
}

// monitorRequest is the <monitor-requests> object for exactly these tables and columns (RFC 7047 4.1.5).
func (t *Tables) monitorRequest() map[string]any {
	ask := func(columns []string) any { return map[string]any{"columns": columns} }
	return map[string]any{
		t.root.name:       ask(t.root.names()),
		t.bridges.name:    ask(t.bridges.names()),
		t.ports.name:      ask(t.ports.names()),
		t.interfaces.name: ask(t.interfaces.names()),
		t.flowTables.name: ask(t.flowTables.names()),
		t.datapaths.name:  ask(t.datapaths.names()),
	}
}

// apply carries out a <table-updates> object. After an error the tables may be partly updated: the caller starts again.
func (t *Tables) apply(raw json.RawMessage) error {
	var updates map[string]json.RawMessage
	if err := json.Unmarshal(raw, &updates); err != nil {
		return fmt.Errorf("%w: table updates: %w", ErrMalformed, err)
	}
	for name, u := range updates {
		var err error
		switch name {
		case t.root.name:
			err = t.root.apply(u)
		case t.bridges.name:
			err = t.bridges.apply(u)
		case t.ports.name:
			err = t.ports.apply(u)
		case t.interfaces.name:
			err = t.interfaces.apply(u)
		case t.flowTables.name:
			err = t.flowTables.apply(u)
		case t.datapaths.name:
			err = t.datapaths.apply(u)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Root returns the row of table Open_vSwitch; ok is false if there is none.
func (t *Tables) Root() (row Root, ok bool) {
	for _, r := range t.root.rows {
		return *r, true
	}
	return Root{}, false
}

// RestoreWait is the key of other_config in table Open_vSwitch that makes ovs-vswitchd wait until flows are restored: while it is true
// ovs-vswitchd sends no packet to a controller and changes no flow of the datapath (ovs-vswitchd.conf.db(5)). ovs-ctl sets and removes it
// when it restarts Open vSwitch.
const RestoreWait = "flow-restore-wait"

// Waits reports whether Open vSwitch waits for flows to be restored.
func (t *Tables) Waits() bool {
	root, _ := t.Root()
	return root.OtherConfig[RestoreWait] == "true"
}

// datapath returns the row of the datapath of a type, or nil.
func (t *Tables) datapath(kind string) *DatapathRow {
	root, ok := t.Root()
	if !ok {
		return nil
	}
	return t.datapaths.rows[root.Datapaths[kind]]
}

// Bridge returns a bridge by name.
func (t *Tables) Bridge(name string) (UUID, *BridgeRow, bool) { return t.bridges.get(name) }

// Port returns a port by name.
func (t *Tables) Port(name string) (UUID, *PortRow, bool) { return t.ports.get(name) }

// Interface returns an interface by name.
func (t *Tables) Interface(name string) (UUID, *InterfaceRow, bool) { return t.interfaces.get(name) }

// Interfaces calls yield for every interface, in no order, until it returns false.
func (t *Tables) Interfaces(yield func(*InterfaceRow) bool) {
	for _, r := range t.interfaces.rows {
		if !yield(r) {
			return
		}
	}
}

// FlowTableName returns the name in a Flow_Table row, "" if there is no such row.
func (t *Tables) FlowTableName(id UUID) string {
	if r := t.flowTables.rows[id]; r != nil {
		return r.Name
	}
	return ""
}
