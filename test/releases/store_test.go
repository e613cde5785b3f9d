// SPDX-License-Identifier: Apache-2.0

package releases

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// A netmaster of this build lists all objects of a release's store as that release did, and its endpoints keep their addresses.
func TestStore(t *testing.T) { recordings(t, checkStore) }

func checkStore(t *testing.T, dir string) {
	var want map[string][]map[string]any
	read(t, &want, dir, objectsFile)
	m := mastertest.Start(t, mastertest.Options{Store: stored(t, dir), FwdMode: "routing"})
	got := objectsOf(t, m)
	for kind, objects := range want {
		byKey := map[any]map[string]any{}
		for _, o := range got[kind] {
			byKey[o["key"]] = o
		}
		for _, o := range objects {
			for field, value := range o {
				if now := byKey[o["key"]][field]; !reflect.DeepEqual(now, value) {
					t.Errorf("%s %v: %s: got %v, want %v", kind, o["key"], field, now, value)
				}
			}
		}
	}
	taken := map[string]bool{}
	for i := range 3 {
		e := m.Endpoint(t, "shop", "front", "web", fmt.Sprint("new", i), "")
		if taken[e.IP.String()] || e.IP.String() == "10.8.0.1" || e.IP.String() == "10.8.0.40" {
			t.Errorf("new endpoint: got address %s, which another one has", e.IP)
		}
		taken[e.IP.String()] = true
	}
}
