package catalog

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// putService takes in the registration of a process. What it is registered as is in its key.
func (v *View) putService(it store.Item) error {
	s, err := decode[record.Service](it)
	if err != nil {
		return err
	}
	v.services[it.Key] = *s
	return nil
}

func (v *View) dropService(key string) { delete(v.services, key) }
