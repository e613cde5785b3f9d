// SPDX-License-Identifier: Apache-2.0

package ofnet

import "testing"

func TestLackedBy(t *testing.T) {
	for _, c := range []struct {
		name         string
		capabilities map[string]string
		lacks        string
		needed       string
	}{
		{"nothing reported", nil, "", ""},
		{"userspace", map[string]string{"nd_ext": "true", "ct_mark": "true", "lb_output_action": "true"}, "", ""},
		{"kernel", map[string]string{"nd_ext": "false", "ct_mark": "true", "tnl_push_pop": "false"}, "nd_ext", ""},
		{"kernel without marks", map[string]string{"nd_ext": "false", "ct_mark": "false", "ct_label": "false"}, "nd_ext, ct_mark, ct_label", "policies and services"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := LackedBy(c.capabilities)
			if got.String() != c.lacks {
				t.Errorf("lacks: want %q, got %q", c.lacks, got)
			}
			if means := got.Needed().Means(); means != c.needed {
				t.Errorf("what does not work: want %q, got %q", c.needed, means)
			}
		})
	}
}
