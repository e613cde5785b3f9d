package desired

import (
	"slices"
	"strings"

	"github.com/contiv/contiv/ofnet"
)

// Hosts returns this host, and after it all others that are or were registered, ordered by label.
func (e *Engine) Hosts() []ofnet.Host {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := []ofnet.Host{e.Self}
	for h := range e.records.hosts.Values() {
		if h.Label != e.Self.Label {
			out = append(out, *h)
		}
	}
	slices.SortFunc(out[1:], func(a, b ofnet.Host) int { return strings.Compare(a.Label, b.Label) })
	return out
}
