package ovsdb_test

import (
	"testing"

	"github.com/contiv/contiv/ofnet/ovstest"
)

func TestCapabilities(t *testing.T) {
	ctx, c := live(t, ovstest.Start(t))
	s := ensured(t, ctx, c)
	for range 2 { // the second time the row is there
		got, err := s.Capabilities(ctx)
		if err != nil || got["nd_ext"] != "true" || got["ct_mark"] != "true" {
			t.Errorf("capabilities of the userspace datapath: want nd_ext and ct_mark, got %v, %v", got, err)
		}
	}
}
