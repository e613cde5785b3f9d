// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"encoding/json"
	"reflect"
	"testing"
	"unsafe"

	"github.com/contiv/contiv/api/model"
)

// Interval column of endpoints is kept, as the API has it.
func TestEndpointHasEveryColumn(t *testing.T) {
	whole := &model.EndpointOper{Key: "t:n:c", EndpointID: "c", ContainerName: "web", Network: "n.t", EndpointGroupKey: "g:t", HomingHost: "h1",
		IpAddress: []string{"10.1.1.1", "fd00::1"}, MacAddress: "02:02:0a:01:01:01", Labels: "map[app:web]", Pod: "shop/web"}
	raw, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	e, err := decodeEndpoint(raw, "", &interned{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range model.KindEndpoint().Columns {
		if got, want := e.Field(c.Field), whole.Field(c.Field); !reflect.DeepEqual(got, want) || reflect.ValueOf(want).IsZero() {
			t.Errorf("column %s: want %v, got %v", c.Header, want, got)
		}
	}
	if e.NetworkKey() != "t:n" || e.Tenant() != "t" {
		t.Errorf("want network t:n of tenant t, got %s of %s", e.NetworkKey(), e.Tenant())
	}
}

// An endpoint takes little: there may be hundreds of thousands.
func TestEndpointSize(t *testing.T) {
	if size := unsafe.Sizeof(Endpoint{}); size > 176 {
		t.Errorf("an endpoint takes %d bytes before its texts, more than 176", size)
	}
}
