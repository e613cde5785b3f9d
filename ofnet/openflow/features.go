// SPDX-License-Identifier: Apache-2.0

package openflow

// Can describes a switch's support of groups (OpenFlow 1.3.5 section 7.3.5.12) or of meters (section 7.3.5.15).
type Can struct {
	Groups uint32 // by PartGroupFeatures: set of 1<<type, and
	// GroupLimits are the largest numbers of groups, by type.
	GroupLimits [4]uint32
	Meters      uint32 // by PartMeterFeatures: the largest number of meters, and
	Bands       uint32 // the set of 1<<type of their bands
}

// BandDrop is the type of a meter's band that drops packets (OpenFlow 1.3.5 section 7.3.4.4).
const BandDrop = 1

// Lengths of the data after the fields read here.
const (
	groupFeaturesRest = 16
	meterFeaturesRest = 8
)

func (r *reader) groupFeatures() *Can {
	c := &Can{Groups: r.u32()}
	r.skip(4) // capabilities
	for i := range c.GroupLimits {
		c.GroupLimits[i] = r.u32()
	}
	r.skip(groupFeaturesRest)
	return c
}

func (r *reader) meterFeatures() *Can {
	c := &Can{Meters: r.u32(), Bands: r.u32()}
	r.skip(meterFeaturesRest)
	return c
}

func (c *Can) append(b []byte, part Part) []byte {
	if part == PartGroupFeatures {
		b = append(be.AppendUint32(b, c.Groups), 0, 0, 0, 0)
		for _, n := range c.GroupLimits {
			b = be.AppendUint32(b, n)
		}
		return append(b, make([]byte, groupFeaturesRest)...)
	}
	return append(be.AppendUint32(be.AppendUint32(b, c.Meters), c.Bands), make([]byte, meterFeaturesRest)...)
}
