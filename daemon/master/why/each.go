// SPDX-License-Identifier: Apache-2.0

package why

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/identity"
)

const (
	maxPaths = 64 // per question
	atOnce   = 4  // followed concurrently
)

// AskEach answers a request for all hosts of the groups that it names: one container represents each host. The answer is the worst of all,
// and has them all in Each. It blocks as Ask does.
func (a *Explainer) AskEach(ctx context.Context, q model.WhyRequest) (model.Why, error) {
	if err := q.Resolve(); err != nil {
		return model.Why{}, err
	}
	var asks []model.WhyRequest
	var err error
	a.catalog.View(func(v *catalog.View) { asks, err = each(v, q) })
	if err != nil {
		return model.Why{}, err
	}
	ways := make([]model.Why, len(asks))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, ask := range asks {
		group.Go(func() (err error) { ways[i], err = a.Ask(ctx, ask); return err })
	}
	if err := group.Wait(); err != nil {
		return model.Why{}, err
	}
	if len(ways) == 1 {
		return ways[0], nil
	}
	return worst(ways), nil
}

// worst returns the worst of several answers, with all of them in Each.
func worst(ways []model.Why) model.Why {
	order := []model.Verdict{model.VerdictDisagree, model.VerdictDenied, model.VerdictUnknown, model.VerdictAllowed}
	out, counts := model.Why{}, map[model.Verdict]int{}
	for i := range ways {
		counts[ways[i].Verdict]++
		if i == 0 || slices.Index(order, ways[i].Verdict) < slices.Index(order, out.Verdict) {
			out = ways[i]
		}
	}
	out.Each = ways
	if counts[out.Verdict] == len(ways) {
		out.Text = fmt.Sprintf("All %d ways: %s", len(ways), out.Text)
		return out
	}
	var parts []string
	for _, v := range order {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	out.Text = fmt.Sprintf("Of %d ways %s. From %s to %s: %s", len(ways), strings.Join(parts, ", "), out.From.Object, out.To.Object, out.Text)
	return out
}

// each returns a request for each pair of containers that represent the groups in q, one per host.
func each(v *catalog.View, q model.WhyRequest) ([]model.WhyRequest, error) {
	from, err := standIns(v, "from", q.From, q)
	if err != nil {
		return nil, err
	}
	to, err := standIns(v, "to", q.To, q)
	if err != nil {
		return nil, err
	}
	if n := len(from) * len(to); n > maxPaths {
		return nil, model.Errorf(model.CodeInvalid, "all", "%d ways lead from the hosts of the one to those of the other, and %d can be followed at once", n, maxPaths).
			Try("name a container at one end")
	}
	var out []model.WhyRequest
	for _, f := range from {
		for _, t := range to {
			one := q
			one.From, one.To = f, t
			if len(from)*len(to) == 1 || f != t {
				out = append(out, one)
			}
		}
	}
	return out, nil
}

// standIns returns the names to use instead of one: for a group, a container on each host; otherwise the name itself.
func standIns(v *catalog.View, field, name string, q model.WhyRequest) ([]string, error) {
	e, err := find(v, field, name, "", q)
	if err != nil || !e.standsIn || e.endpoint == nil {
		return []string{name}, nil // the other end may still resolve it
	}
	var out, hosts []string
	for _, one := range v.EndpointsIn(identity.Group(e.endpoint.Group)) {
		if !slices.Contains(hosts, one.Host) {
			hosts, out = append(hosts, one.Host), append(out, kindEndpoint+"/"+one.ID.String())
		}
	}
	slices.Sort(out)
	return out, nil
}
