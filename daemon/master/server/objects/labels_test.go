// SPDX-License-Identifier: Apache-2.0

package objects_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

// labelled requests a change of labels: words are key=value and key-.
func labelled(objects []model.ApplyObject, overwrite bool, words ...string) model.LabelRequest {
	out := model.LabelRequest{Objects: objects, Overwrite: overwrite, Set: map[string]string{}}
	for _, word := range words {
		if key, value, sets := strings.Cut(word, "="); sets {
			out.Set[key] = value
		} else {
			out.Remove = append(out.Remove, strings.TrimSuffix(word, "-"))
		}
	}
	return out
}

// Labels of objects of every kind of change and immutability change in one transaction, which writes no record that an agent receives.
func TestLabels(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	if _, _, err := m.Apply(ctx, model.ApplyRequest{Objects: append(shop("10.7.0.0/24"),
		object("policy", "tenantName", "shop", "policyName", "p"),
		object("rule", "tenantName", "shop", "policyName", "p", "ruleId", "1", "direction", "in", "action", "deny"))}); err != nil {
		t.Fatal(err)
	}
	all := []model.ApplyObject{
		object("tenant", "tenantName", "shop"), object("network", "tenantName", "shop", "networkName", "front"),
		object("endpointGroup", "tenantName", "shop", "groupName", "web"), object("policy", "tenantName", "shop", "policyName", "p"),
		object("rule", "tenantName", "shop", "policyName", "p", "ruleId", "1"), object("global", "name", "global"),
	}
	missing := append(all[:2:2], object("network", "tenantName", "shop", "networkName", "back"))
	dry := labelled(all, false, "app=shop")
	dry.DryRun = true
	before, _, err := m.Store.List(ctx, record.State)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name    string
		request model.LabelRequest
		want    string // the distinct actions, or a part of the refusal
		labels  string // of the network afterwards
	}{
		{"a dry run", dry, "updated", ""},
		{"a label of all", labelled(all, false, "app=shop"), "updated", "app=shop"},
		{"the same", labelled(all, false, "app=shop"), "unchanged", "app=shop"},
		{"another value", labelled(all, false, "app=bank"), `tenant shop: label app already has the value "shop" (replace it with --overwrite)`, "app=shop"},
		{"another value on purpose", labelled(all, true, "app=bank", "tier=front"), "updated", "app=bank,tier=front"},
		{"one less, and none", labelled(all, false, "tier-", "old-"), "updated", "app=bank"},
		{"none of them", labelled(all, false, "old-"), "unchanged", "app=bank"},
		{"an invalid value", labelled(all[1:], false, "app=", "team=a b"), `label app already has the value`, "app=bank"},
		{"an invalid new value", labelled(all[1:], false, "team=a b"), `network shop:front: labels: got value "a b" of team`, "app=bank"},
		{"one of several is missing", labelled(missing, true, "app=x"), "not found", "app=bank"},
		{"no labels", labelled(all, false), "got no label to set or to remove", "app=bank"},
		{"no objects", labelled(nil, false, "a=b"), "got no objects", "app=bank"},
		{"both", model.LabelRequest{Objects: all, Set: map[string]string{"a": "b"}, Remove: []string{"a"}}, "both set and removed", "app=bank"},
		{"another owner's", labelled([]model.ApplyObject{object("kubeService", "namespace", "a", "name", "b")}, false, "a=b"), "since Kubernetes owns it", "app=bank"},
		{"without a key", labelled([]model.ApplyObject{object("network", "tenantName", "shop")}, false, "a=b"), "networkName is missing", "app=bank"},
	} {
		results, _, err := m.Label(ctx, step.request)
		got := ""
		for _, r := range results {
			if !strings.Contains(got, string(r.Action)) {
				got += string(r.Action)
			}
		}
		if err != nil {
			got = err.Error()
		}
		n, readErr := m.Networks().Get(ctx, "shop", "front")
		if readErr != nil || !strings.Contains(got, step.want) || err == nil && got != step.want || model.JoinLabels(n.Labels) != step.labels {
			t.Errorf("%s: want %s and %s, got %s and %v, %v", step.name, step.want, step.labels, got, n, readErr)
		}
	}
	after, _, err := m.Store.List(ctx, record.State)
	if err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("labels must change no record of agents: got %d records before and %d after, %v", len(before), len(after), err)
	}
	entries, err := m.History(ctx, client.HistoryQuery{Kind: "network", Key: "shop:front"})
	if err != nil || len(entries) != 4 || entries[3].Difference() != `labels: {"app":"bank","tier":"front"} -> {"app":"bank"}` {
		t.Errorf("want the changes of labels in the history, got %+v, %v", entries, err)
	}
	for selector, want := range map[string]int{"app=bank": 1, "app in (shop,bank),!tier": 1, "app!=bank": 0} {
		list, err := m.Networks().List(ctx, client.Labels(selector))
		if err != nil || len(list) != want {
			t.Errorf("%s: want %d networks, got %v, %v", selector, want, list, err)
		}
	}
}

// The history has the labels of an object as a whole, however long they are.
func TestLongestLabelsAreInTheHistory(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	longest := map[string]string{}
	for i := range 32 {
		longest[fmt.Sprintf("k%02d", i)] = strings.Repeat("v", 61)
	}
	for range 2 {
		if _, _, err := m.Label(ctx, model.LabelRequest{Objects: []model.ApplyObject{object("tenant", "tenantName", "default")}, Set: longest, Overwrite: true}); err != nil {
			t.Fatal(err)
		}
		for key, value := range longest {
			longest[key] = strings.ReplaceAll(value, "v", "w")
		}
	}
	entries, err := m.History(ctx, client.HistoryQuery{Kind: "tenant", Key: "default"})
	if err != nil || len(entries) != 3 || entries[2].Cut || len(entries[2].Changes) != 1 {
		t.Errorf("want the change as a whole, got %+v, %v", entries, err)
	}
}

// An update of a client that does not know labels keeps them, one with labels states them, and apply states them always.
func TestLabelsOfUpdates(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "tenant shop", "network front tenantName=shop encap=vxlan subnet=10.7.0.0/24")
	group := object("endpointGroup", "tenantName", "shop", "networkName", "front", "groupName", "web")
	group.Fields["labels"] = map[string]string{"app": "shop"}
	if _, _, err := m.Apply(ctx, model.ApplyRequest{Objects: []model.ApplyObject{group}}); err != nil {
		t.Fatal(err)
	}
	post := func(path, body string) func() error {
		return func() error {
			answer, err := m.HTTP.Post(m.URL+"/api/v1/"+path+"/", "application/json", strings.NewReader(body))
			if err == nil && answer.StatusCode != http.StatusOK {
				err = model.Errorf(model.CodeInvalid, "", "%s", answer.Status)
			}
			return err
		}
	}
	const web = `{"tenantName":"shop","networkName":"front","groupName":"web"`
	apply := func(labels any) func() error {
		return func() error {
			group.Fields["labels"] = labels
			_, _, err := m.Apply(ctx, model.ApplyRequest{Objects: []model.ApplyObject{group}})
			return err
		}
	}
	for _, step := range []struct {
		name string
		do   func() error
		want string // the group's labels
		err  string
	}{
		{"without labels", post("endpointGroups/shop:web", web+`}`), "app=shop", ""},
		{"without labels and with a change", post("endpointGroups/shop:web", web+`,"cfgdTag":"x"}`), "app=shop", ""},
		{"with labels", post("endpointGroups/shop:web", web+`,"labels":{"tier":"front"}}`), "tier=front", ""},
		{"with wrong labels", post("endpointGroups/shop:web", web+`,"labels":{"tier":"in front"}}`), "tier=front", "500"},
		{"with empty labels", post("endpointGroups/shop:web", web+`,"labels":{}}`), "", ""},
		{"applied", apply(map[string]string{"app": "shop"}), "app=shop", ""},
		{"applied with a number", apply(map[string]any{"app": 1}), "app=shop", `labels: got a number, want a map of strings (quote values such as "1" and "true")`},
		{"applied without labels", apply(nil), "", ""},
	} {
		err := step.do()
		g, readErr := m.EndpointGroups().Get(ctx, "shop", "web")
		if readErr != nil || (err == nil) != (step.err == "") || err != nil && !strings.Contains(err.Error(), step.err) || model.JoinLabels(g.Labels) != step.want {
			t.Errorf("%s: want %q, got %+v, %v, %v", step.name, step.want, g, err, readErr)
		}
	}
	raw := map[string]any{}
	if err := m.Raw(ctx, "/api/v1/endpointGroups/shop:web/", &raw); err != nil || raw["labels"] != nil {
		t.Errorf("absent labels must be no member, got %v, %v", raw, err)
	}
	// The kinds whose updates the original refused, and those that are immutable, accept labels nevertheless.
	for _, path := range []string{`tenants/shop {"tenantName":"shop"`, `networks/shop:front {"tenantName":"shop","networkName":"front","encap":"vxlan","subnet":"10.7.0.0/24"`} {
		at, body, _ := strings.Cut(path, " ")
		if err := post(at, body+`,"labels":{"a":"b"}}`)(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := post(at, body+`}`)(); err == nil {
			t.Errorf("%s without a change: want the original's refusal", path)
		}
	}
}

// Objects that the selector of the request does not match are refused: nothing would prune them later.
func TestApplySelector(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	tenant := object("tenant", "tenantName", "shop")
	tenant.Fields["labels"] = map[string]string{"app": "shop"}
	for _, row := range []struct {
		selector string
		objects  []model.ApplyObject
		want     string
	}{
		{"app=shop", []model.ApplyObject{tenant, object("policy", "tenantName", "shop", "policyName", "p")},
			"1 of 2 objects do not match the selector app=shop, which could not prune them later: policy shop:p (give them the labels in their files)"},
		{"app=(", []model.ApplyObject{tenant}, "app=web"},
		{"app in (shop,bank)", []model.ApplyObject{tenant}, ""},
	} {
		_, _, err := m.Apply(ctx, model.ApplyRequest{Objects: row.objects, Selector: row.selector})
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.selector, row.want, err)
		}
	}
}
