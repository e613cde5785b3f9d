// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"reflect"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Policies of which something is not read, or nothing, differ from those that are read whole.
func TestUnreadPolicies(t *testing.T) {
	c := catalog.New()
	var items []store.Item
	for key, value := range map[string]string{
		record.NetworkPolicies + "shop:whole":  `{"id":"shop:whole","ingress":{"isolates":true}}`,
		record.NetworkPolicies + "shop:part":   `{"id":"shop:part","ingress":{"isolates":true,"unread":["b","a"]},"egress":{"isolates":true,"unread":["b"]}}`,
		record.NetworkPolicies + "shop:broken": `{"id":"shop:broken"`,
		record.ClusterNetworkPolicies + "all":  `{"name":"all","tier":"Admin"}`,
		record.ClusterNetworkPolicies + "some": `{"name":"some","tier":"Admin","egress":{"unread":["c"]}}`,
	} {
		items = append(items, store.Item{Key: key, Value: []byte(value), Revision: 1})
	}
	c.Apply(store.Update{Items: items, Revision: 1}, quiet)
	want := []catalog.UnreadPolicy{{Name: "shop/broken"}, {Name: "shop/part", Unread: []string{"a", "b"}}, {Name: "some", Unread: []string{"c"}}}
	c.View(func(v *catalog.View) {
		if got := v.UnreadPolicies(); !reflect.DeepEqual(got, want) {
			t.Errorf("want %+v, got %+v", want, got)
		}
	})
}

// Services of which some parts are not carried out differ from those that are.
func TestUnreadServices(t *testing.T) {
	c := catalog.New()
	c.Apply(store.Update{Revision: 1, Items: []store.Item{
		{Key: record.KubernetesServices + "shop:whole", Value: []byte(`{"id":"shop:whole","type":"ClusterIP"}`), Revision: 1},
		{Key: record.KubernetesServices + "shop:part", Value: []byte(`{"id":"shop:part","type":"ClusterIP","unread":["a","b"]}`), Revision: 1},
	}}, quiet)
	want := []catalog.UnreadService{{Name: "shop/part", Parts: []string{"a", "b"}}}
	c.View(func(v *catalog.View) {
		if got := v.UnreadServices(); !reflect.DeepEqual(got, want) {
			t.Errorf("want %+v, got %+v", want, got)
		}
	})
}
