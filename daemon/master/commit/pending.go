package commit

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// note remembers what a key will hold.
func (t *Tx) note(key string, v any) {
	if t.pending == nil {
		t.pending = map[string]any{}
	}
	t.pending[key] = v
}

// left returns a record as this request would leave it, nil when there is none.
func left[T any](t *Tx, key string, known *T) *T {
	v, ok := t.pending[key]
	if !ok {
		return known
	}
	r, _ := v.(*T)
	return r
}

// Group returns a group's record as this request would leave it, nil when there is none.
func (t *Tx) Group(id identity.Group) *record.Group {
	return left(t, record.Groups+id.String(), t.View.Group(id))
}

// NetworkRecord returns a network's record as this request would leave it, nil when there is none.
func (t *Tx) NetworkRecord(id identity.Network) *record.Network {
	return left(t, record.Networks+id.String(), t.View.NetworkRecord(id))
}

// Provider returns a service's providers as this transaction would leave them, nil when there is no such service.
func (t *Tx) Provider(id identity.Service) *record.Provider {
	if p, ok := t.overlay.providers[id]; ok {
		return p
	}
	return t.View.Provider(id)
}

// PutProvider writes a service's providers. Later requests of the same transaction see it.
func (t *Tx) PutProvider(p *record.Provider) error {
	before, had := t.overlay.providers[p.ID]
	t.overlay.providers[p.ID] = p
	t.OnAbort(func() {
		if had {
			t.overlay.providers[p.ID] = before
		} else {
			delete(t.overlay.providers, p.ID)
		}
	})
	return t.Put(record.Providers+p.ID.String(), p)
}
