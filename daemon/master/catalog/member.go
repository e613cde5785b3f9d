package catalog

import (
	"encoding/json"
	"strings"
	"sync/atomic"

	"github.com/google/btree"

	"github.com/contiv/contiv/daemon/record"
)

// Member is an endpoint that the catalog knows.
type Member struct {
	*record.Endpoint
	text atomic.Pointer[json.RawMessage]
}

// Text returns what show makes of the endpoint. It is kept until the endpoint changes, so every caller gives the same
// show; the bytes must not be changed.
func (m *Member) Text(show func(*record.Endpoint) (json.RawMessage, error)) (json.RawMessage, error) {
	if kept := m.text.Load(); kept != nil {
		return *kept, nil
	}
	text, err := show(m.Endpoint)
	if err != nil {
		return nil, err
	}
	m.text.Store(&text)
	return text, nil
}

// members are endpoints, ordered by id.
type members struct{ tree *btree.BTreeG[*Member] }

func newMembers() members {
	const degree = 32
	return members{btree.NewG(degree, func(a, b *Member) bool { return strings.Compare(a.ID, b.ID) < 0 })}
}

func (m members) len() int { return m.tree.Len() }

func (m members) put(x *Member) { m.tree.ReplaceOrInsert(x) }

func (m members) remove(id string) { m.tree.Delete(&Member{Endpoint: &record.Endpoint{ID: id}}) }

// all yields them in order.
func (m members) all(yield func(*Member) bool) { m.tree.Ascend(yield) }

func (m members) records() []*record.Endpoint {
	out := make([]*record.Endpoint, 0, m.len())
	for x := range m.all {
		out = append(out, x.Endpoint)
	}
	return out
}
