// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

func TestDecodeRefuses(t *testing.T) {
	network := model.KindNetwork()
	tests := []struct {
		name, body string
		code       model.Code
		field      string
		text       string
	}{
		{"empty", "", model.CodeInvalid, "", "EOF"},
		{"not JSON", "{", model.CodeInvalid, "", "unexpected end"},
		{"an array", "[]", model.CodeInvalid, "", "cannot unmarshal array"},
		{"wrong type", `{"pktTag":"seven"}`, model.CodeInvalid, "pktTag", "pktTag"},
		{"a number too large", `{"pktTag":1e400}`, model.CodeInvalid, "pktTag", "1e400"},
		{"NaN", `{"pktTag":NaN}`, model.CodeInvalid, "", "invalid character"},
		{"wrong key", `{"tenantName":"t","networkName":"m"}`, model.CodeInvalid, "networkName", "Invalid Key"},
		{"long name", `{"tenantName":"t","networkName":"n","cfgdTag":"` + strings.Repeat("a", 129) + `"}`, model.CodeInvalid, "cfgdTag", "cfgdTag string too long"},
		{"number out of bounds", `{"tenantName":"t","networkName":"n","encap":"vlan","subnet":"10.1.1.0/24","pktTag":99999999}`, model.CodeInvalid, "pktTag", "pktTag Value Out of bound"},
		{"a negative number", `{"tenantName":"t","networkName":"n","encap":"vlan","subnet":"10.1.1.0/24","pktTag":-1}`, model.CodeInvalid, "pktTag", "pktTag Value Out of bound"},
		{"deep nesting", `{"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, model.CodeInvalid, "", "exceeded max depth"},
		{"too large", `{"x":"` + strings.Repeat("a", MaxBody) + `"}`, model.CodeTooLarge, "", "larger than"},
		{"invalid UTF-8 in a name", "{\"tenantName\":\"t\",\"networkName\":\"n\xff\"}", model.CodeInvalid, "networkName", "Invalid Key"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := decode(strings.NewReader(test.body), network, "t:n")
			var e *model.Error
			if !errors.As(err, &e) || e.Code != test.code || e.Field != test.field || !strings.Contains(e.Message, test.text) {
				t.Errorf("want %s for %q with %q, got %#v", test.code, test.field, test.text, err)
			}
		})
	}
}

func TestDecodeTakes(t *testing.T) {
	// Unknown members are ignored, and names match in any case: clients of the original rely on both.
	o, err := decode(strings.NewReader(`{"TENANTname":"t","networkName":"n","Encap":"vlan","subnet":"10.1.1.0/24","colour":"red","key":"lies"}`), model.KindNetwork(), "t:n")
	if err != nil {
		t.Fatal(err)
	}
	n := o.(*model.Network)
	if n.Key != "t:n" || n.NwType != "data" || n.Encap != "vlan" {
		t.Errorf("want the key of the URL and the default type, got %+v", n)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"tenantName":"t","networkName":"n","encap":"vlan","subnet":"10.1.1.0/24","policies":["a"],"vlans":"1-2"}`), "t:n")
	f.Add([]byte(`{"name":"global","vlans":"1-4094","vxlans":"1-10000","pvtSubnet":"172.19.0.0/16"}`), "global")
	f.Add([]byte(`null`), "")
	f.Fuzz(func(t *testing.T, body []byte, key string) {
		for _, k := range model.Kinds() {
			if !k.Writable() {
				continue
			}
			o, err := decode(bytes.NewReader(body), k, key)
			if err != nil {
				if e := model.AsError(err); e.Code == model.CodeInternal {
					t.Fatalf("%s: bad input must be refused, not be a defect: %v", k.Name, err)
				}
				continue
			}
			if o.ObjectKey() != key {
				t.Fatalf("%s: got key %q, want %q", k.Name, o.ObjectKey(), key)
			}
		}
	})
}
