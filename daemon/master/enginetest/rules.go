// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/record"
)

// AgentRules lists the rules of policies that agents enforce, one line for each group that has the policy: "group/policy:rule in|out PEER
// own ADDRESSES protocol NUMBER port NUMBER openings ACTION PRIORITY".
func (w *World) AgentRules(tb testing.TB) (out []string) {
	tb.Helper()
	byACI := false
	w.Catalog.View(func(v *catalog.View) { byACI = derive.ByACI(v.Global()) })
	if byACI { // which agents know
		return nil
	}
	has := map[string][]string{} // groups, by policy
	for _, a := range recordsAt[record.Attachment](tb, w, record.Attachments) {
		has[a.ID.Of().String()] = append(has[a.ID.Of().String()], a.ID.Name)
	}
	for _, r := range recordsAt[record.Rule](tb, w, record.Rules) {
		for _, g := range has[r.ID.Policy.String()] {
			out = append(out, fmt.Sprintf("%s/%s:%s %s", g, r.ID.Name, r.ID.Rule, said(&r)))
		}
	}
	return out
}

// recordsAt returns the records below a prefix, ordered by key.
func recordsAt[V any](tb testing.TB, w *World, prefix string) (out []V) {
	tb.Helper()
	items, _, err := w.Store.List(context.Background(), prefix)
	if err != nil {
		tb.Fatal(err)
	}
	for _, it := range items {
		var v V
		if err := json.Unmarshal(it.Value, &v); err != nil {
			tb.Fatal(err)
		}
		if id := fmt.Sprintf(`"id":%q`, strings.TrimPrefix(it.Key, prefix)); !strings.Contains(string(it.Value), id) {
			tb.Errorf("record %s calls itself otherwise: %s", it.Key, it.Value)
		}
		out = append(out, v)
	}
	return out
}

func said(r *record.Rule) string {
	words := []string{r.Direction}
	add := func(format string, is bool, of any) {
		if is {
			words = append(words, fmt.Sprintf(format, of))
		}
	}
	add("group %s", r.Group != "", r.Group)
	add("network %s", r.Network != "", r.Network)
	add("%s", len(r.Peers) > 0, listed(r.Peers))
	add("own %s", len(r.Own) > 0, listed(r.Own))
	add("protocol %d", r.Protocol != 0, r.Protocol)
	add("port %d", r.Port != 0, r.Port)
	add("%s", r.Openings, "openings")
	return fmt.Sprintf("%s %s %d", strings.Join(words, " "), r.Action, r.Priority)
}

func listed(list []netip.Prefix) string {
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.String()
	}
	return strings.Join(texts, ",")
}
