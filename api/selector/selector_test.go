// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/selector"
)

func TestSelects(t *testing.T) {
	rule := &model.Rule{TenantName: "blue", PolicyName: "web", RuleId: "1", Action: "allow", Port: 80, FromIpAddress: `a,b=c\d`}
	group := &model.EndpointGroup{TenantName: "blue", GroupName: "db", Policies: []string{"in", "out"}}
	space := &model.KubeNamespace{Namespace: "shop", Labels: []string{"team=a"}}
	pod := &model.EndpointOper{HomingHost: "h1", IpAddress: []string{"10.1.1.1", ""}}
	labels := map[string]string{"team": "a", "tier": "front"}
	for _, row := range []struct {
		name           string
		kind           *model.Kind
		field          func(string) any
		fields, labels string
		want           bool
	}{
		{"no selector", model.KindRule(), rule.Field, "", "", true},
		{"a text", model.KindRule(), rule.Field, "tenantName=blue", "", true},
		{"another text", model.KindRule(), rule.Field, "tenantName=bluer", "", false},
		{"two equals signs", model.KindRule(), rule.Field, "tenantName==blue", "", true},
		{"not a text", model.KindRule(), rule.Field, "tenantName!=blue", "", false},
		{"a number", model.KindRule(), rule.Field, "port=80", "", true},
		{"another number", model.KindRule(), rule.Field, "port=8", "", false},
		{"both", model.KindRule(), rule.Field, "tenantName=blue,port=80", "", true},
		{"one of both", model.KindRule(), rule.Field, "tenantName=blue,port=81", "", false},
		{"escaped", model.KindRule(), rule.Field, `fromIpAddress=a\,b\=c\\d`, "", true},
		{"a field that is empty", model.KindRule(), rule.Field, "toNetwork=", "", true},
		{"a field that is not empty", model.KindRule(), rule.Field, "tenantName=", "", false},
		{"one of a list", model.KindEndpointGroup(), group.Field, "policies=out", "", true},
		{"none of a list", model.KindEndpointGroup(), group.Field, "policies!=out", "", false},
		{"not in a list", model.KindEndpointGroup(), group.Field, "policies=o", "", false},
		{"a list that is not empty", model.KindEndpointGroup(), group.Field, "policies=", "", false},
		{"a list that is empty", model.KindEndpointGroup(), group.Field, "extContractsGrps=", "", true},
		{"an endpoint's state", model.KindEndpoint(), pod.Field, "homingHost=h1,ipAddress=10.1.1.1", "", true},
		{"an address that is there, beside one that is not", model.KindEndpoint(), pod.Field, "ipAddress=", "", false},
		{"a label", model.KindKubeNamespace(), space.Field, "", "team=a", true},
		{"a label of a rule", model.KindRule(), rule.Field, "", "tier!=back", true},
		{"another label", model.KindKubeNamespace(), space.Field, "", "team=b", false},
		{"a set of values", model.KindEndpoint(), pod.Field, "", "tier in (front, back),!old", true},
		{"labels and fields", model.KindEndpoint(), pod.Field, "homingHost=h2", "team=a", false},
	} {
		s, err := selector.Parse(row.kind, row.fields, row.labels)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if got := s.Selects(row.field, labels); got != row.want {
			t.Errorf("%s: %q and %q: want %v, got %v", row.name, row.fields, row.labels, row.want, got)
		}
	}
}

// A refusal names the parameter, the problem, and the fields of the kind.
func TestParseRefuses(t *testing.T) {
	for _, row := range []struct {
		kind           *model.Kind
		fields, labels string
		field          string
		want           []string // in the error
	}{
		{model.KindNetwork(), "colour=red", "", selector.Fields, []string{`networks have no field "colour"`, "encap, gateway", "tenantName"}},
		{model.KindNetwork(), "tenantName", "", selector.Fields, []string{"can't understand 'tenantName'", "comma list"}},
		{model.KindNetwork(), `tenantName=a\b`, "", selector.Fields, []string{"escape", "comma list"}},
		{model.KindNetwork(), "labels=a", "", selector.Fields, []string{`networks have no field "labels"`, "encap, gateway"}},
		{model.KindKubeService(), "", "app=web", selector.Labels, []string{"Kubernetes services have no labels", "namespace"}},
		{model.KindEndpoint(), "", "app=(", selector.Labels, []string{"app=web"}},
		{model.KindEndpoint(), "bytesSent=0", "", selector.Fields, []string{`endpoints have no field "bytesSent"`, "homingHost"}}, // lists do not show it
	} {
		_, err := selector.Parse(row.kind, row.fields, row.labels)
		e := model.AsError(err)
		if err == nil || e.Code != model.CodeInvalid || e.Field != row.field {
			t.Errorf("%q, %q: want a refusal of %s, got %v", row.fields, row.labels, row.field, err)
			continue
		}
		for _, text := range row.want {
			if !strings.Contains(e.Error(), text) {
				t.Errorf("%q, %q: want %q in %q", row.fields, row.labels, text, e)
			}
		}
	}
}

// A secret cannot be guessed with a selector.
func TestSecretsAreNotSelectedBy(t *testing.T) {
	for _, k := range model.Kinds() {
		for _, f := range k.Fields {
			if _, err := selector.Parse(k, f.Name+"=x", ""); f.Secret && err == nil {
				t.Errorf("%s.%s is secret and can be selected by", k.Name, f.Name)
			}
		}
	}
}

// No object is selected both by a selector and by its opposite.
func FuzzParse(f *testing.F) {
	for _, seed := range [][2]string{{"homingHost=h1", "app=web"}, {`network!=a\,b`, "tier in (a,b)"}, {"=,!=", "!x"}, {`\`, "a>1"}, {"containerName==", ""}} {
		f.Add(seed[0], seed[1])
	}
	e := &model.EndpointOper{HomingHost: "h1", Network: "a,b"}
	f.Fuzz(func(t *testing.T, fields, labels string) {
		s, err := selector.Parse(model.KindEndpoint(), fields, labels)
		if err != nil {
			if e := model.AsError(err); e.Code != model.CodeInvalid || e.Field == "" || e.Remedy == "" {
				t.Errorf("%q, %q: want a refusal with field and remedy, got %#v", fields, labels, e)
			}
			return
		}
		_ = s.Selects(e.Field, map[string]string{"app": "web"})
	})
}

// The rules for labels of objects are those of Kubernetes.
func FuzzLabelsAsKubernetes(f *testing.F) {
	for _, key := range []string{"app", "example.com/app", "Example.com/app", "a/b/c", "/a", "a/", "-a", "a_", "a..b/c", "ä", strings.Repeat("x", 64), strings.Repeat("x", 254) + "/a"} {
		f.Add(key, key)
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		if len(key)+len(value) > 4096 {
			return
		}
		wrong := len(validation.IsQualifiedName(key)) + len(validation.IsValidLabelValue(value))
		if err := model.CheckLabels(map[string]string{key: value}); (err == nil) != (wrong == 0) {
			t.Errorf("%q=%q: Kubernetes finds %d problems, got %v", key, value, wrong, err)
		}
	})
}
