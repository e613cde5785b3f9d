// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// valid are the least values.
const valid = "netplugin: {netmasters: ['10.254.1.1:9999']}\n"

// A value that the chart does not know, or of another type, is refused with its name, and so are values that contradict each other.
func TestRefusals(t *testing.T) {
	for _, row := range []struct{ name, values, want string }{
		{"unknown key", valid + "netmastr: {}", "netmastr"},
		{"unknown key within", valid + "store: {knd: etcd}", "knd"},
		{"unknown key of a part", "netplugin: {netmasters: ['10.254.1.1:9999'], vtep: 192.0.2.0/24}", "vtep"},
		{"text in place of a list", "netplugin: {netmasters: 10.254.1.1:9999}", "/netplugin/netmasters"},
		{"number in place of a text", valid + "image: {tag: 1.5}", "/image/tag"},
		{"text in place of a truth", valid + "network: {services: 'off'}", "/network/services"},
		{"no address", "netplugin: {netmasters: [10.254.1.1]}", "/netplugin/netmasters/0"},
		{"unknown choice", valid + "network: {mode: gre}", "/network/mode"},
		{"an image by an incomplete digest", valid + "image: {digest: 'sha256:abc'}", "/image/digest"},
		{"a variable of no program", valid + "settings: {CONTIV_LOG_LEVEL: debug}", "CONTIV_LOG_LEVEL"},
		{"a setting that is no text", valid + "settings: {CONTIV_NETMASTER_USE_JSON_LOG: true}", "CONTIV_NETMASTER_USE_JSON_LOG"},
		{"a certificate that is a path", valid + "authority: {certificate: my/ca.crt, key: my/ca.key}", "/authority/certificate"},
		{"no netmasters", "{}", "netplugin.netmasters: got none, want"},
		{"a certificate without its key", valid + fmt.Sprintf("authority: {certificate: %q}", certificate), "authority.certificate, authority.key: got one of them, want both or none"},
		{"the release's own namespace", valid + "namespace: {create: true}", "namespace.create: the namespace of the release"},
		{"an etcd without URLs", valid + "store: {kind: etcd}", "store.endpoints: got none"},
		{"an embedded store with URLs", valid + "store: {endpoints: ['http://10.0.0.5:2379']}", "store.endpoints: got some"},
		{"an embedded store with keys of another authority", valid + "store: {tlsSecret: a}", "store.tlsSecret: got one"},
		{"two members", valid + "store: {members: {h1: 'https://10.254.1.1:6667', h2: 'https://10.254.1.2:6667'}}", "store.members: got 2"},
		{"members of an etcd", valid + "store: {kind: etcd, endpoints: ['http://10.0.0.5:2379'], members: {h1: 'https://10.254.1.1:6667'}}", "store.members: got some"},
		{"VLANs without a NIC", valid + "network: {mode: vlan}", "network.uplinks: got none"},
	} {
		if _, err := install(t, "contiv-system", row.values); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "'", ""), row.want) {
			t.Errorf("%s: want an error with %q, got %v", row.name, row.want, err)
		}
	}
}

// Every default value is of a key that the schema knows, and each key of the schema has a default.
func TestSchemaIsComplete(t *testing.T) {
	var defaults, schema map[string]any
	for file, into := range map[string]*map[string]any{"values.yaml": &defaults, "values.schema.json": &schema} {
		if err := yaml.Unmarshal(read(t, chartDir+"/"+file), into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	documented := 0
	var walk func(path string, defaults map[string]any, schema map[string]any)
	walk = func(path string, defaults, schema map[string]any) {
		known, _ := schema["properties"].(map[string]any)
		if known == nil {
			return
		}
		keys := slices.Sorted(maps.Keys(known))
		if got := slices.Sorted(maps.Keys(defaults)); !slices.Equal(got, slices.DeleteFunc(keys, func(k string) bool { return path+k == "global" })) {
			t.Errorf("values.yaml at %q: got keys %v, want those of the schema, %v", path, got, keys)
		}
		if schema["additionalProperties"] != false {
			t.Errorf("values.schema.json at %q: want additionalProperties false", path)
		}
		for k, v := range known {
			documented++
			if next, ok := defaults[k].(map[string]any); ok {
				walk(path+k+".", next, v.(map[string]any))
			}
		}
	}
	walk("", defaults, schema)
	if documented < 30 {
		t.Errorf("keys: got %d, want at least 30", documented)
	}
}

// A difference between the chart and the kustomization is found, wherever it is.
func TestDriftIsFound(t *testing.T) {
	v := variants(version(t))[0]
	chart := rendered(t, v.release(), v.values)
	if d := differences(chart, v.kustomization(t)); len(d) > 0 {
		t.Fatalf("before any drift: %v", d)
	}
	for _, row := range []struct{ name, old, new, want string }{
		{"another command", "command:\n        - /bin/netmaster", "command:\n        - /bin/netmastr", "DaemonSet contiv-system/netmaster.spec.template.spec.containers[0].command[0]"},
		{"another setting", "CONTIV_NETPLUGIN_NET_MODE: vxlan", "CONTIV_NETPLUGIN_NET_MODE: vlan", "ConfigMap contiv-system/contiv.data.CONTIV_NETPLUGIN_NET_MODE"},
		{"a number as text", "periodSeconds: 2", "periodSeconds: '2'", "readinessProbe.periodSeconds"},
		{"a right more", "resources:\n  - tokenreviews", "resources:\n  - tokenreviews\n  - secrets", "ClusterRole /contiv-netmaster.rules"},
		{"a variable less", "        - name: CONTIV_NETMASTER_CLUSTER_FILE\n          value: /etc/contiv/host/cluster\n", "", "containers[0].env"},
		{"a mount less", "        - mountPath: /etc/contiv/host\n          name: host\n", "", "containers[0].volumeMounts"},
		{"a label more", "  labels:\n    app.kubernetes.io/name: netplugin", "  labels:\n    more: a\n    app.kubernetes.io/name: netplugin", "metadata.labels.more: only in the kustomization"},
		{"a privilege more", "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "allowPrivilegeEscalation"},
		{"another name", "name: netplugin\n  namespace: contiv-system\nspec:", "name: agent\n  namespace: contiv-system\nspec:", "DaemonSet contiv-system/agent: only in the kustomization"},
	} {
		text := ""
		for _, o := range v.kustomization(t) {
			one, err := yaml.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			text += "---\n" + string(one)
		}
		drifted := strings.ReplaceAll(text, row.old, row.new)
		if drifted == text {
			t.Fatalf("%s: the kustomization has no %q\n%s", row.name, row.old, text)
		}
		if d := strings.Join(differences(chart, objects(t, drifted)), "\n"); !strings.Contains(d, row.want) {
			t.Errorf("%s: want a difference at %q, got %q", row.name, row.want, d)
		}
	}
}

// An object that is invalid for Kubernetes is found.
func TestInvalidIsFound(t *testing.T) {
	conform := newConform(t)
	for _, row := range []struct{ name, object, want string }{
		{"unknown field", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, dta: {}}", "dta"},
		{"wrong type", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: 1}}", "/data/a"},
		{"missing field", "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}, spec: {selector: {}}}", "template"},
		{"unknown version", "{apiVersion: apps/v2, kind: DaemonSet, metadata: {name: a}}", "could not find schema"},
	} {
		if why := invalid(t, conform, objects(t, row.object)[0]); !strings.Contains(why, row.want) {
			t.Errorf("%s: want %q, got %q", row.name, row.want, why)
		}
	}
}

// used matches a variable in the value of another one, or in an argument.
var used = regexp.MustCompile(`\$\((\w+)\)`)

// Containers of every variant use no variable before it is defined.
func TestVariables(t *testing.T) {
	uses := 0
	for _, v := range variants(version(t)) {
		settings := map[string]bool{}
		all := rendered(t, v.release(), v.values)
		for _, o := range all {
			if data, ok := o["data"].(object); ok && o["kind"] == "ConfigMap" {
				for name := range data {
					settings[name] = true
				}
			}
		}
		for _, c := range containers(all) {
			defined := map[string]bool{}
			if c["envFrom"] != nil {
				defined = maps.Clone(settings)
			}
			check := func(text any) {
				for _, m := range used.FindAllStringSubmatch(fmt.Sprint(text), -1) {
					if uses++; !defined[m[1]] {
						t.Errorf("%s, container %v: %v uses %s before it is defined", v.name, c["name"], text, m[1])
					}
				}
			}
			env, _ := c["env"].([]any)
			for _, e := range env {
				e := e.(object)
				check(e["value"])
				defined[e["name"].(string)] = true
			}
			check(c["args"])
		}
	}
	if uses < 40 {
		t.Errorf("uses of variables: got %d, want at least 40", uses)
	}
}

// containers returns the containers of the pods of objects.
func containers(all []object) (out []object) {
	for _, o := range all {
		if o["kind"] != "DaemonSet" {
			continue
		}
		pods := o["spec"].(object)["template"].(object)["spec"].(object)
		for _, list := range []string{"initContainers", "containers"} {
			some, _ := pods[list].([]any)
			for _, c := range some {
				out = append(out, c.(object))
			}
		}
	}
	return out
}

// A change of a setting, or of the authority, replaces the pods.
func TestChangesReplacePods(t *testing.T) {
	pods := func(values string) string {
		var out []any
		for _, o := range rendered(t, "contiv-system", values) {
			if o["kind"] == "DaemonSet" {
				out = append(out, o["spec"].(object)["template"])
			}
		}
		if len(out) != 2 {
			t.Fatalf("DaemonSets: got %d, want 2", len(out))
		}
		return fmt.Sprint(out...)
	}
	authority := valid + fmt.Sprintf("authority: {certificate: %q, key: %q}\n", certificate, key)
	for name, row := range map[string][2]string{
		"a setting":     {valid, valid + "settings: {CONTIV_NETPLUGIN_LOG_LEVEL: debug}"},
		"the authority": {authority, strings.ReplaceAll(authority, "AAAA", "BBBB")},
	} {
		if pods(row[0]) == pods(row[1]) {
			t.Errorf("%s: the pods stay the same", name)
		}
	}
	if pods(valid) != pods(valid) {
		t.Error("the same values give other pods")
	}
}

// The notes name the next commands.
func TestNotes(t *testing.T) {
	for _, row := range []struct {
		values string
		want   bool
	}{{valid, true}, {valid + fmt.Sprintf("authority: {certificate: %q, key: %q}\n", certificate, key), false}} {
		r, err := install(t, "contiv-system", row.values)
		if err != nil {
			t.Fatal(err)
		}
		if made := strings.Contains(r.Info.Notes, "contiv cert authority my"); made != row.want {
			t.Errorf("notes on how to make the authority: got %v, want %v:\n%s", made, row.want, r.Info.Notes)
		}
		for _, want := range []string{"kubectl --namespace contiv-system rollout status daemonset/netplugin", "netctl --netmaster https://10.254.1.1:9999 node ls"} {
			if !strings.Contains(r.Info.Notes, want) {
				t.Errorf("notes: want %q in\n%s", want, r.Info.Notes)
			}
		}
	}
}
