// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"fmt"
	"math"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// profile parses a group's net profile.
func profile(g *record.Group) (p ofnet.Profile, err error) {
	if p.Rate, err = rate(g.Bandwidth); err != nil {
		return ofnet.Profile{}, err
	}
	if p.ReceiveRate, err = rate(g.ReceiveRate); err != nil {
		return ofnet.Profile{}, err
	}
	if g.DSCP < 0 || g.DSCP > 63 {
		return ofnet.Profile{}, fmt.Errorf("want a DSCP within 0..63, got %d", g.DSCP)
	}
	for _, burst := range []int{g.Burst, g.ReceiveBurst} {
		if burst < 0 || burst > math.MaxInt32 {
			return ofnet.Profile{}, fmt.Errorf("want a burst of kilobits, got %d", burst)
		}
	}
	p.Burst, p.ReceiveBurst, p.DSCP = uint32(g.Burst), uint32(g.ReceiveBurst), uint8(g.DSCP)
	return p, nil
}

// rate parses kbit/s. A meter supports rates up to 4,294 Gbit/s; no host reaches more.
func rate(text string) (uint32, error) {
	b, err := model.ParseBandwidth(text)
	return uint32(min(b.Kilobits(), math.MaxUint32)), err
}
