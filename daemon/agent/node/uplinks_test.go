package node

import (
	"testing"

	"github.com/contiv/contiv/ofnet/ovsdb"
)

// fakePorts are ports by name, and whether they have a link.
type fakePorts map[string]bool

func (f fakePorts) Port(name string) (ovsdb.Port, bool) {
	up, ok := f[name]
	return ovsdb.Port{Name: name, Up: up}, ok
}

func TestActiveUplink(t *testing.T) {
	nics := []string{"a", "b", "c"}
	for _, row := range []struct {
		name  string
		ports fakePorts
		want  int
	}{
		{"all", fakePorts{"a": true, "b": true, "c": true}, 0},
		{"the first is pulled", fakePorts{"a": false, "b": true, "c": true}, 1},
		{"the last alone", fakePorts{"a": false, "b": false, "c": true}, 2},
		{"none", fakePorts{"a": false, "b": false, "c": false}, 0},
		{"the first has gone", fakePorts{"b": true}, 1},
		{"nothing is known yet", fakePorts{}, 0},
	} {
		if got := activeUplink(row.ports, nics); got != row.want {
			t.Errorf("%s: want %d, got %d", row.name, row.want, got)
		}
	}
}
