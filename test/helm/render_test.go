// SPDX-License-Identifier: Apache-2.0

// Package helm checks the chart of deploy/helm: that it renders the objects of deploy/kubernetes, that these are valid for Kubernetes, and
// which values it refuses. It is a module of its own, so that the programs do not depend on Helm.
package helm

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// Directories of this repository.
const (
	chartDir  = "../../deploy/helm/contiv"
	manifests = "../../deploy/kubernetes"
)

// object is an object of Kubernetes, as JSON has it.
type object = map[string]any

// install has Helm render a release of the chart in a namespace, as helm template does, with values as YAML.
func install(t *testing.T, namespace, values string) (*release.Release, error) {
	t.Helper()
	chart, err := loader.LoadDir(chartDir)
	if err != nil {
		t.Fatal(err)
	}
	given, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	run := action.NewInstall(&action.Configuration{})
	run.ClientOnly, run.DryRun, run.Replace = true, true, true
	run.ReleaseName, run.Namespace = "contiv", namespace
	run.KubeVersion = &chartutil.KubeVersion{Version: kubernetesVersion(t), Major: "1", Minor: "36"}
	return run.Run(chart, given)
}

// rendered returns the objects of the chart.
func rendered(t *testing.T, namespace, values string) []object {
	t.Helper()
	r, err := install(t, namespace, values)
	if err != nil {
		t.Fatalf("values\n%s\n%v", values, err)
	}
	return objects(t, r.Manifest)
}

// separator is the line between two objects.
var separator = regexp.MustCompile(`(?m)^---$`)

// objects returns the objects of a text in YAML.
func objects(t *testing.T, text string) (out []object) {
	t.Helper()
	for _, one := range separator.Split(text, -1) {
		var o object
		if err := yaml.UnmarshalStrict([]byte(one), &o); err != nil {
			t.Fatalf("%v\n%s", err, one)
		}
		if len(o) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// hashed matches the suffix that kustomize gives the names of generated objects.
var hashed = regexp.MustCompile(`\b(contiv|contiv-authority)-[2456789bcdfghkmt]{10}\b`)

// built returns the objects of an operator's kustomization of a variant of deploy/kubernetes, without the suffixes of their names. more is
// the rest of the kustomization; files are beside it.
func built(t *testing.T, folders []string, more string, files map[string]string) []object {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var resources []string
	for _, folder := range folders {
		here, err := filepath.Abs(filepath.Join(manifests, folder))
		if err == nil {
			here, err = filepath.Rel(dir, here)
		}
		if err != nil {
			t.Fatal(err)
		}
		resources = append(resources, here)
	}
	all := map[string]string{"kustomization.yaml": fmt.Sprintf("resources: [%s]\n%s", strings.Join(resources, ", "), more)}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, all["kustomization.yaml"])
	}
	text, err := m.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return objects(t, hashed.ReplaceAllString(string(text), "$1"))
}

// version returns the version that the repository is at.
func version(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(string(read(t, "../../VERSION")))
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
