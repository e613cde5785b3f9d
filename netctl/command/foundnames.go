// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// foundNames are the names, keys and addresses that begin with what was typed, as netmaster finds them: one request, however many endpoints
// there are. Without a text, they are the names of what is usually searched for.
func foundNames(ctx context.Context, f *Factory, w word) (out []string) {
	if strings.TrimSpace(w.typed) == "" {
		return usualNames(ctx, f, w)
	}
	c, err := f.client()
	if err != nil {
		return nil
	}
	answer, err := c.Find(ctx, w.typed, model.MaxFound)
	if err != nil {
		return nil
	}
	for i := range answer.Items {
		x := &answer.Items[i]
		for _, name := range []string{x.Value, x.Key} {
			if begins(name, w.typed) {
				out = append(out, w.typed+name[len(w.typed):]) // in the case that was typed: shells compare it
				break
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// begins reports whether a name begins with a text in any case.
func begins(name, text string) bool {
	return len(name) >= len(text) && strings.EqualFold(name[:len(text)], text)
}

// usualNames are the names of tenants, networks, groups, policies, services and hosts.
func usualNames(ctx context.Context, f *Factory, w word) []string {
	out := hostNames(ctx, f, w)
	for _, k := range []*model.Kind{model.KindTenant(), model.KindNetwork(), model.KindEndpointGroup(), model.KindPolicy(), model.KindServiceLB()} {
		for _, key := range keysOf(k)(ctx, f, w) {
			parts := k.Parts(key)
			out = append(out, parts[len(parts)-1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
