package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

func (v *View) putFabric(p *record.FabricProfile) error {
	v.fabric[p.Key] = p
	v.touch(model.KindAppProfile().Name, p.Key)
	return nil
}

func (v *View) dropFabric(key string) {
	key = strings.TrimPrefix(key, record.FabricProfiles)
	delete(v.fabric, key)
	v.touch(model.KindAppProfile().Name, key)
}

// FabricProfile is what an ACI gateway was told of the application profile with this API key, nil for nothing.
func (v *View) FabricProfile(key string) *record.FabricProfile { return v.fabric[key] }

// FabricProfiles lists what an ACI gateway was told, ordered by key.
func (v *View) FabricProfiles() []*record.FabricProfile {
	var out []*record.FabricProfile
	for _, p := range v.fabric {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *record.FabricProfile) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// takeGroupVLAN marks the VLAN id that is a group's own, as in an ACI fabric: not its network's.
func (v *View) takeGroupVLAN(g *record.Group) error {
	n := v.networks[g.NetworkName+"."+g.TenantName]
	if g.PktTagType != "vlan" || g.PktTag == 0 || n == nil || n.Record.PktTag == g.PktTag {
		return nil
	}
	v.groupVLANs[g.ID] = g.PktTag
	return ignoreTaken(v.numbers.VLANs.Take(g.PktTag))
}

func (v *View) releaseGroupVLAN(id string) {
	if vlan := v.groupVLANs[id]; vlan != 0 {
		v.numbers.VLANs.Release(vlan)
		delete(v.groupVLANs, id)
	}
}
