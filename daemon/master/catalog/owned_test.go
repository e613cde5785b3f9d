// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
)

// A namespace of Kubernetes links to what is in it, and its text follows when that comes and goes; what is in it links to the namespace.
func TestLinksOfNamespace(t *testing.T) {
	c := catalog.New()
	c.Apply(store.Update{Items: []store.Item{{Key: record.Namespaces + "shop", Value: []byte(`{"name":"shop"}`), Revision: 1}}, Revision: 1}, quiet)
	has := func(k *model.Kind, key, link string) bool {
		t.Helper()
		found := false
		c.View(func(v *catalog.View) {
			text, err := v.Text(k, key)
			if err != nil {
				t.Fatal(err)
			}
			found = strings.Contains(string(text), link)
		})
		return found
	}
	policy, link := record.NetworkPolicies+"shop:web", `"shop:web":{"type":"networkPolicy","key":"shop:web"}`
	if has(model.KindKubeNamespace(), "shop", link) {
		t.Error("want no link before the policy is there")
	}
	value, err := json.Marshal(&netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: "shop", Name: "web"}})
	if err != nil {
		t.Fatal(err)
	}
	c.Apply(store.Update{Items: []store.Item{{Key: policy, Value: value, Revision: 2}}, Revision: 2}, quiet)
	if !has(model.KindKubeNamespace(), "shop", link) || !has(model.KindNetworkPolicy(), "shop:web", `"Namespace":{"type":"kubeNamespace","key":"shop"}`) {
		t.Error("want namespace and policy to link to each other")
	}
	c.Apply(store.Update{Gone: []string{policy}, Revision: 3}, quiet)
	if has(model.KindKubeNamespace(), "shop", link) {
		t.Error("want the link gone with the policy")
	}
}
