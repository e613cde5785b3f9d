// SPDX-License-Identifier: Apache-2.0

package offline

import "testing"

// A bundle answers requests for flows as a host does, also by network policy.
func TestOwnedBy(t *testing.T) {
	for _, row := range []struct {
		text, owner string
		want        bool
	}{
		{"", "rule/t:p:1", true},
		{"policy/t:p", "rule/t:p:1", true},
		{"policy/t:p", "rule/t:pp:1", false},
		{"endpoint/web", "endpoint/t:n:lab-web", true},
		{"networkpolicy/shop/to-web", "classpolicy/shop:to-web", true},
		{"networkpolicy/shop/to", "classpolicy/shop:to-web", false},
		{"clusternetworkpolicy/no-db", "classpolicy/no-db", true},
		{"clusternetworkpolicy/no-db", "rule/no-db", false},
	} {
		owned, err := ownedBy(row.text)
		if err != nil {
			t.Errorf("%q: %v", row.text, err)
		} else if got := owned(row.owner); got != row.want {
			t.Errorf("%q of %q: want %v", row.text, row.owner, row.want)
		}
	}
}
