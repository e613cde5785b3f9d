package sync

import (
	"strings"

	"github.com/contiv/contiv/daemon/record"
)

// Listener hears of records as they come and change, those of all tenants and hosts; nil: the record is gone. Calls come
// one at a time, and must not block or keep what they get.
type Listener interface {
	Tenant(name string, r *record.Tenant)
	Endpoint(id string, r *record.Endpoint)
	Service(id string, r *record.ServiceLB)
	Router(host string, r *record.BGP)
}

// putTold takes over records that only listeners care about.
func (r *records) putTold(key string, value []byte) error {
	if !strings.HasPrefix(key, record.BGPs) {
		return nil
	}
	name, v, err := decode(key, record.BGPs, value, func(b *record.BGP) string { return b.Hostname })
	if err == nil {
		r.tell(func(l Listener) { l.Router(name, &v) })
	}
	return err
}

// delTold forgets such a record.
func (r *records) delTold(key string) {
	if name, ok := strings.CutPrefix(key, record.BGPs); ok {
		r.tell(func(l Listener) { l.Router(name, nil) })
	}
}

func (r *records) tell(each func(Listener)) {
	for _, l := range r.hear {
		each(l)
	}
}
