// SPDX-License-Identifier: Apache-2.0

package manifest

import "testing"

func TestParse_Refuses(t *testing.T) {
	for _, text := range []string{"kind: [", "- 7", "name: x", "kind: 7", "kind: a\nkind: b", "\x00", "items: 7", "items: [{a: b}]"} {
		if objects, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q: want a refusal, got %v", text, objects)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("kind: tenant\ntenantName: shop\n---\n- {kind: network, labels: {a: b}}\n"))
	f.Fuzz(func(_ *testing.T, text []byte) { _, _ = Parse(text) })
}
