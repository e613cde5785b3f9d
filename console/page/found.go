// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

// Found makes the page of a result of the search: that of its object, its host or its Docker network, or the page of all netmasters.
func Found(f *model.Found, s *feed.Snapshot) *Page {
	if k, ok := model.KindOf(f.Kind); ok {
		return openObject(k, f.Key, "")
	}
	if f.Kind == model.FoundDockerNetwork {
		return docknet(f.Key)
	}
	if slices.ContainsFunc(masters(s), func(n *model.Node) bool { return n.Name == f.Key }) {
		return Leader()
	}
	return Host(f.Key)
}
