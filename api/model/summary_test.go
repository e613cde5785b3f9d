// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"testing"
)

func TestSummarized(t *testing.T) {
	used := 3
	n := &Summarized{&Network{TenantName: "t", NetworkName: "n"}, Summary{VNI: 7, Used: &used}}
	for name, want := range map[string]any{"networkName": "n", "vni": 7, "used": 3, "free": nil, "nothing": nil} {
		if got := n.Field(name); got != want {
			t.Errorf("%s: want %v, got %v", name, want, got)
		}
	}
	text, err := json.Marshal(n)
	var back struct {
		NetworkName string
		Summary     Summary
	}
	if err != nil || json.Unmarshal(text, &back) != nil || back.NetworkName != "n" || back.Summary.VNI != 7 {
		t.Errorf("want the object with its summary, got %s, %v", text, err)
	}
	if got := string(WithSummary([]byte("{}"), []byte("{}"))); got != `{"summary":{}}` {
		t.Errorf("an object without members: got %s", got)
	}
}

// A rule names both ends of its traffic, whatever its direction.
func TestRule_End(t *testing.T) {
	for _, row := range []struct {
		rule     Rule
		groups   []string
		from, to string
	}{
		{Rule{Direction: "in", FromEndpointGroup: "web"}, []string{"db"}, "group web", "group db"},
		{Rule{Direction: "in"}, nil, "any", ""},
		{Rule{Direction: "out", ToNetwork: "n", ToIpAddress: "10.0.0.1"}, []string{"a", "b"}, "groups a, b", "network n, 10.0.0.1"},
	} {
		r := &Summarized{&row.rule, Summary{Groups: row.groups}}
		if r.Field(RuleFrom) != row.from || r.Field(RuleTo) != row.to {
			t.Errorf("%+v: want %q to %q, got %q to %q", row.rule, row.from, row.to, r.Field(RuleFrom), r.Field(RuleTo))
		}
	}
}

// The columns of a summary exist once each, at their place.
func TestKind_SummarizedColumns(t *testing.T) {
	headers := func(k *Kind) (out string) {
		for _, c := range k.SummarizedColumns() {
			out += c.Header + " "
		}
		return out
	}
	if got, want := headers(KindRule()), "Tenant Policy Rule Direction Priority From To Protocol Port Action "; got != want {
		t.Errorf("rules: want %q, got %q", want, got)
	}
	if got, want := headers(KindPolicy()), "Tenant Policy "; got != want {
		t.Errorf("policies: want %q, got %q", want, got)
	}
}
