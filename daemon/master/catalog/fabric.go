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
