package catalog

import (
	"strings"

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

// putClaim takes in which machine has a host's label or address. The keys of running agents are known by being there.
func (v *View) putClaim(it store.Item) error {
	if strings.HasPrefix(it.Key, record.LiveClaim("")) {
		return nil
	}
	c, err := decode[record.Claim](it)
	if err != nil {
		return err
	}
	v.claims[it.Key] = c
	return nil
}

func (v *View) dropClaim(key string) { delete(v.claims, key) }

func (v *View) dropService(key string) { delete(v.services, key) }
