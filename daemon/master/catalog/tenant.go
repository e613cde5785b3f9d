package catalog

import (
	"strings"

	"github.com/contiv/contiv/daemon/record"
)

func (v *View) putTenant(t *record.Tenant) error {
	v.tenants[t.ID] = t
	return ignoreTaken(v.numbers.VRFs.Take(int(t.VRF)))
}

func (v *View) dropTenant(key string) {
	name := strings.TrimPrefix(key, record.Tenants)
	if t := v.tenants[name]; t != nil {
		v.numbers.VRFs.Release(int(t.VRF))
		delete(v.tenants, name)
	}
}
