// SPDX-License-Identifier: Apache-2.0

package page

import (
	"context"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/widget"
)

// location is where endpoints are: a network "name.tenant" and a group "name:tenant", "" without one.
type location struct{ network, group string }

// index is endpoints by where they are, each list in the order of the snapshot.
type index struct {
	size    int
	at      map[location][]*feed.Endpoint
	hosts   map[string][]*feed.Endpoint
	tenants map[string]map[location]struct{}
}

// newIndex makes an index of endpoints; nil when ctx ends.
func newIndex(ctx context.Context, all []*feed.Endpoint) *index {
	x := &index{len(all), map[location][]*feed.Endpoint{}, map[string][]*feed.Endpoint{}, map[string]map[location]struct{}{}}
	for i, e := range all {
		if i%512 == 0 && ctx.Err() != nil {
			return nil
		}
		at := location{e.NetworkKey(), e.EndpointGroupKey}
		if x.at[at] == nil {
			tenant := e.Tenant()
			if x.tenants[tenant] == nil {
				x.tenants[tenant] = map[location]struct{}{}
			}
			x.tenants[tenant][at] = struct{}{}
		}
		x.at[at] = append(x.at[at], e)
		x.hosts[e.HomingHost] = append(x.hosts[e.HomingHost], e)
	}
	return x
}

// indexVersion is what indexes are made of.
type indexVersion struct {
	endpoints part
	filter    *widget.Filter
}

// indexes is the endpoints of a snapshot, and those of them that a filter keeps.
type indexes struct {
	indexVersion
	all, kept *index
}

// indexed keeps indexes up to date, in the background when there are many endpoints.
type indexed struct {
	latest widget.Latest[indexVersion, indexes]
	made   *indexes // nil: none yet
	filter *widget.Filter
}

// manyEndpoints is the number of endpoints from which they are indexed in the background.
const manyEndpoints = 2000

// get returns the newest indexes. fresh reports whether they differ from the last time.
func (x *indexed) get(c Canvas, s *feed.Snapshot) (made *indexes, fresh bool) {
	want, was, endpoints, b := indexVersion{partOf(s.Endpoints), c.Filter}, x.made, s.Endpoints, c.Background
	if was == nil || len(endpoints) <= manyEndpoints {
		b = nil
	}
	x.filter = c.Filter
	x.made = x.latest.Update(want, func(v indexVersion) bool { return v.filter != want.filter }, b, func(ctx context.Context) *indexes { return makeIndexes(ctx, endpoints, want, was) })
	return x.made, x.made != was
}

// filtering reports whether the filter is still running.
func (x *indexed) filtering() bool { return x.made != nil && x.filter != x.made.filter }

func makeIndexes(ctx context.Context, endpoints []*feed.Endpoint, want indexVersion, was *indexes) *indexes {
	out := &indexes{indexVersion: want}
	if was != nil && was.endpoints == want.endpoints {
		out.all = was.all
	} else if out.all = newIndex(ctx, endpoints); out.all == nil {
		return nil
	}
	if out.kept = out.all; want.filter == nil {
		return out
	}
	var kept []*feed.Endpoint
	for i, e := range endpoints {
		if i%512 == 0 && ctx.Err() != nil {
			return nil
		}
		if want.filter.Keeps(e.EndpointID, e.Called(), firstAddress(e), e.HomingHost) {
			kept = append(kept, e)
		}
	}
	if out.kept = newIndex(ctx, kept); out.kept == nil {
		return nil
	}
	return out
}
