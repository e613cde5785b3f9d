// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"encoding/json"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/sanitize"
)

func TestFields(t *testing.T) {
	type inner struct{ Name string }
	type request struct {
		ID      string
		Numbers []int
		Names   []string
		In      *inner
		Many    []inner
		Labels  map[string]string
		At      netip.Addr
		none    string
	}
	q := request{ID: "a\x1bb", Numbers: []int{1}, Names: []string{"x\ny", "z"}, In: &inner{"\a"}, Many: []inner{{"\x7fm"}},
		Labels: map[string]string{"k\x00": "v\x1b", "long": "0123456789abcdef"}, At: netip.MustParseAddr("fe80::1%eth0"), none: "\x1b"}
	sanitize.Fields(&q, 12)
	got, err := json.Marshal(q)
	const want = `{"ID":"a�b","Numbers":[1],"Names":["x�y","z"],"In":{"Name":"�"},"Many":[{"Name":"�m"}],"Labels":{"k�":"v�","long":"012345678…"},"At":"fe80::1%eth0"}`
	if err != nil || string(got) != want || q.none != "\x1b" {
		t.Errorf("want %s\ngot  %s, %v", want, got, err)
	}
}
