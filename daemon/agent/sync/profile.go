package sync

import (
	"fmt"
	"math"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// profile reads what a group's net profile says.
func profile(g *record.Group) (p ofnet.Profile, err error) {
	rate, err := model.ParseBandwidth(g.Bandwidth)
	if err != nil {
		return p, err
	}
	if g.DSCP < 0 || g.DSCP > 63 {
		return p, fmt.Errorf("want a DSCP within 0..63, got %d", g.DSCP)
	}
	if g.Burst < 0 || g.Burst > math.MaxInt32 {
		return p, fmt.Errorf("want a burst of kilobits, got %d", g.Burst)
	}
	// A meter knows rates up to 4,294 Gbit/s; what is above is no limit that a host could reach.
	return ofnet.Profile{Rate: uint32(min(rate.Kilobits(), math.MaxUint32)), Burst: uint32(g.Burst), DSCP: uint8(g.DSCP)}, nil
}
