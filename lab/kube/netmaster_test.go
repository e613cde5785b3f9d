// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"
	"reflect"
	"testing"

	kubernetes "github.com/contiv/contiv/daemon/kube"
)

// A lab permits its netmasters exactly what they need.
func TestRights(t *testing.T) {
	text, err := json.Marshal(rights())
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Items []struct {
			Rules []struct{ APIGroups, Resources, ResourceNames, Verbs []string }
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	var got []kubernetes.Right
	for _, item := range all.Items {
		for _, r := range item.Rules {
			got = append(got, kubernetes.Right{Group: r.APIGroups[0], Resources: r.Resources, Names: r.ResourceNames, Verbs: r.Verbs})
		}
	}
	if want := kubernetes.Rights(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
