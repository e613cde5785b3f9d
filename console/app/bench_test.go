package app

import (
	"fmt"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/page"
)

// large is a cluster with 50,000 endpoints.
func large(tb testing.TB, first page.Page) *Model {
	m, _ := still(tb, mono(tb, false), first, 120, 40)
	s, _ := fixed()
	s.Endpoints = nil
	for i := range 50000 {
		id := fmt.Sprintf("web-%d", i)
		s.Endpoints = append(s.Endpoints, &model.EndpointOper{Key: "blue.acme-" + id, EndpointID: id, Network: "blue.acme", EndpointGroupKey: "web:acme",
			HomingHost: fmt.Sprintf("h%d", i%100), IpAddress: []string{fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), ""}, MacAddress: "02:02:0a:01:01:01"})
	}
	m.Update(s)
	return m
}

func BenchmarkFrameOf50000(b *testing.B) {
	for _, e := range []struct {
		name string
		make func() page.Page
		keys []string
	}{
		{"table", func() page.Page { return page.NewTable(model.KindEndpoint()) }, nil},
		{"filtered", func() page.Page { return page.NewTable(model.KindEndpoint()) }, filter("web-4999")},
		{"topology", func() page.Page { return page.NewTopology("") }, nil},
	} {
		b.Run(e.name, func(b *testing.B) {
			m := large(b, e.make())
			press(m, e.keys...)
			for b.Loop() {
				m.Frame()
			}
		})
	}
}
