// SPDX-License-Identifier: Apache-2.0

package oper_test

import (
	"net/netip"
	"reflect"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/oper"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// full returns an endpoint with all fields set.
func full() *record.Endpoint {
	n := identity.Network{Tenant: "t", Name: "n"}
	return &record.Endpoint{ID: identity.Endpoint{Network: n, Endpoint: "c"}, CommonName: "web", Group: identity.Group{Tenant: "t", Name: "g"}, GroupNumber: 7,
		IP: netip.MustParseAddr("10.1.1.1"), IP6: netip.MustParseAddr("fd00::1"), MAC: record.MAC{2, 2, 10, 1, 1, 1}, Host: "h1", IfName: "eth0",
		VTEP: netip.MustParseAddr("192.0.2.1"), Labels: map[string]string{"app": "web"}, ContainerID: "d", Service: "g"}
}

// A field has the same value by itself as within the whole object.
func TestField(t *testing.T) {
	e := full()
	e.Pod.ID = identity.Pod{Namespace: "shop", Name: "web"}
	whole := oper.Endpoint(e)
	for _, f := range model.KindEndpoint().Listed() {
		if got, want := oper.Field(e, f.Name), whole.Field(f.Name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: want %v, got %v", f.Name, want, got)
		}
	}
}

// The list of endpoints has exactly the fields that api/schema does not mark as inspected; endpoints can be selected by these.
func TestListedFieldsAreTold(t *testing.T) {
	e := full()
	e.Pod.ID = identity.Pod{Namespace: "shop", Name: "web"}
	e.Bandwidth.Send = 1000
	whole := oper.Endpoint(e)
	for _, f := range model.KindEndpoint().Oper {
		if told := !reflect.ValueOf(whole.Field(f.Name)).IsZero(); told == f.Inspected {
			t.Errorf("%s: inspected is %v in its schema, and it is in the list: %v", f.Name, f.Inspected, told)
		}
	}
}

func BenchmarkField(b *testing.B) {
	e := full()
	for _, name := range []string{"homingHost", "ipAddress", "labels"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = oper.Field(e, name)
			}
		})
	}
}
