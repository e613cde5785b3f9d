// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yannh/kubeconform/pkg/resource"
	"github.com/yannh/kubeconform/pkg/validator"
	"sigs.k8s.io/yaml"
)

// kubernetesModule is the module of Kubernetes that test/kubernetes runs: its version, and the directory of its source.
func kubernetesModule(t *testing.T) (version, dir string) {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-m", "-mod=mod", "-f", "{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}} {{.Dir}}", "k8s.io/kubernetes")
	list.Dir = "../kubernetes/build"
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%s: %v", list, err)
	}
	version, dir, _ = strings.Cut(strings.TrimSpace(string(out)), " ")
	if dir == "" {
		t.Fatal("k8s.io/kubernetes is not downloaded: make test-helm downloads it")
	}
	return version, dir
}

func kubernetesVersion(t *testing.T) string {
	t.Helper()
	version, _ := kubernetesModule(t)
	return version
}

// definition is a type in the API document of Kubernetes.
type definition map[string]any

// schemas writes a strict JSON schema for each kind that objects have, from the API document of Kubernetes, and returns kubeconform's
// pattern for their paths. kubeconform's own schemas, which it would download, are made of the same document.
func schemas(t *testing.T) (pattern, version string) {
	t.Helper()
	version, source := kubernetesModule(t)
	text, err := os.ReadFile(filepath.Join(source, "api/openapi-spec/swagger.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Definitions map[string]definition `json:"definitions"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for name, d := range document.Definitions {
		d.strict(name)
	}
	dir := t.TempDir()
	for name, d := range document.Definitions {
		kinds, _ := d["x-kubernetes-group-version-kind"].([]any)
		if len(kinds) != 1 { // options of requests belong to every group
			continue
		}
		k := kinds[0].(map[string]any)
		used := map[string]definition{}
		reach(document.Definitions, name, used)
		schema, err := json.Marshal(map[string]any{"$ref": "#/definitions/" + name, "definitions": used})
		if err != nil {
			t.Fatal(err)
		}
		group, _, _ := strings.Cut(k["group"].(string), ".")
		file := strings.ToLower(k["kind"].(string)) + strings.TrimSuffix("-"+group, "-") + "-" + k["version"].(string) + ".json"
		if err := os.WriteFile(filepath.Join(dir, file), schema, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "{{ .ResourceKind }}{{ .KindSuffix }}.json"), version
}

// strict has the definition refuse fields that it does not name, and accept each form of a value that the API server accepts.
func (d definition) strict(name string) {
	switch {
	case strings.HasSuffix(name, ".IntOrString"), strings.HasSuffix(name, ".Quantity"):
		delete(d, "format")
		d["type"] = []string{"string", "number"}
	case d["properties"] != nil && d["additionalProperties"] == nil:
		d["additionalProperties"] = false
	}
}

// reach collects the definitions that one uses.
func reach(all map[string]definition, name string, used map[string]definition) {
	if _, ok := used[name]; ok {
		return
	}
	used[name] = all[name]
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case definition:
			walk(map[string]any(v))
		case map[string]any:
			if to, ok := v["$ref"].(string); ok {
				reach(all, strings.TrimPrefix(to, "#/definitions/"), used)
			}
			for _, one := range v {
				walk(one)
			}
		case []any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(all[name])
}

// newConform returns kubeconform, with the schemas of the Kubernetes under test.
func newConform(t *testing.T) validator.Validator {
	t.Helper()
	pattern, version := schemas(t)
	v, err := validator.New([]string{pattern}, validator.Opts{Strict: true, KubernetesVersion: strings.TrimPrefix(version, "v")})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// invalid returns why an object is invalid, or "".
func invalid(t *testing.T, v validator.Validator, o object) string {
	t.Helper()
	text, err := yaml.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	got := v.ValidateResource(resource.Resource{Path: "chart", Bytes: text})
	if got.Status == validator.Valid {
		return ""
	}
	if got.Err == nil {
		t.Fatalf("kubeconform did not look at the object: status %d\n%s", got.Status, text)
	}
	return got.Err.Error()
}
