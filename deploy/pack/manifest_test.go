// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/kube"
	setup "github.com/contiv/contiv/setup/command"
)

// manifests is the directory of what kubectl apply -k is given.
const manifests = "../kubernetes"

// object is what is read of a manifest, or of a kustomization.
type object struct {
	Kind     string
	Metadata struct{ Name string }

	Rules []struct {
		APIGroups        []string `yaml:"apiGroups"`
		ResourceNames    []string `yaml:"resourceNames"`
		Resources, Verbs []string
		Paths            []string `yaml:"nonResourceURLs"`
	}
	RoleRef  struct{ Name string } `yaml:"roleRef"`
	Subjects []struct{ Kind, Name, Namespace string }

	Automount *bool `yaml:"automountServiceAccountToken"`
	Spec      struct {
		Template struct {
			Spec struct {
				Account    string      `yaml:"serviceAccountName"`
				Automount  *bool       `yaml:"automountServiceAccountToken"`
				Init       []container `yaml:"initContainers"`
				Containers []container
			}
		}
	}

	Maps []struct {
		Envs, Literals []string
	} `yaml:"configMapGenerator"`
	Namespace string
}

type container struct {
	Name, Image   string
	Command, Args []string
	Env           []struct{ Name, Value string }
	EnvFrom       []any `yaml:"envFrom"`
}

// read reads all objects of all files.
func read(t *testing.T) (out []object) {
	t.Helper()
	err := filepath.WalkDir(manifests, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		for d := yaml.NewDecoder(f); ; {
			var o object
			switch err := d.Decode(&o); {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				t.Fatalf("%s: %v", path, err)
			}
			out = append(out, o)
		}
	})
	if err != nil || len(out) < 10 {
		t.Fatalf("%d objects in %s (%v)", len(out), manifests, err)
	}
	return out
}

// settings are the names of all settings that the maps of kustomizations begin with.
func settings(t *testing.T, all []object) (out []string) {
	t.Helper()
	lines := func(text string) {
		for line := range strings.Lines(text) {
			if name, _, ok := strings.Cut(line, "="); ok {
				out = append(out, name)
			}
		}
	}
	for _, o := range all {
		for _, m := range o.Maps {
			lines(strings.Join(m.Literals, "\n"))
			for _, file := range m.Envs {
				text, err := os.ReadFile(filepath.Join(manifests, "base", file))
				if err != nil {
					t.Fatal(err)
				}
				lines(string(text))
			}
		}
	}
	return out
}

// chartSettings are the names of the settings that values of the Helm chart set, except those that are put together there.
func chartSettings(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../helm/contiv/templates/_contiv.tpl")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`"(CONTIV_[A-Z_]+)"`).FindAllStringSubmatch(string(text), -1)
	if len(names) < 15 {
		t.Fatalf("settings of the chart: got %d, want at least 15", len(names))
	}
	var out []string
	for _, m := range names {
		out = append(out, m[1])
	}
	return out
}

// daemon is a program that manifests start, and what it says that it reads.
type daemon struct {
	variables []flags.Variable
	help      string
}

// daemons are those by name.
func daemons(t *testing.T) map[string]daemon {
	t.Helper()
	out, bin := map[string]daemon{}, t.TempDir()
	for name, folder := range map[string]string{"netmaster": "daemon/master", "netplugin": "daemon/agent"} {
		program := filepath.Join(bin, name)
		compile(t, program, "github.com/contiv/contiv/"+folder)
		var d daemon
		text, err := exec.Command(program, "--variables").Output()
		if err == nil {
			err = json.Unmarshal(text, &d.variables)
		}
		help, failed := exec.Command(program, "--help").Output()
		if err = errors.Join(err, failed); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d.help = string(help)
		out[name] = d
	}
	return out
}

// helpOf is what the program of a container says of its flags.
func helpOf(t *testing.T, known map[string]daemon, command []string) string {
	t.Helper()
	if d, ok := known[path.Base(command[0])]; ok {
		return d.help
	}
	tool := &cobra.Command{Use: "contiv"}
	tool.AddCommand(setup.New()...)
	var out strings.Builder
	tool.SetOut(&out)
	tool.SetArgs(append(slices.Clone(command[1:]), "--help"))
	if err := tool.Execute(); err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	return out.String()
}

// knows reports whether a daemon reads a variable.
func (d daemon) knows(variable string) bool {
	return slices.ContainsFunc(d.variables, func(v flags.Variable) bool { return v.Name == variable })
}

// Containers run programs of the image, with flags and variables that these have, and use no variable before it is there.
func TestContainers(t *testing.T) {
	all, known := read(t), daemons(t)
	of := func(variable string) daemon {
		return known[strings.ToLower(strings.Split(variable, "_")[1])]
	}
	for _, name := range settings(t, all) {
		if !of(name).knows(name) {
			t.Errorf("setting %s: no program reads it", name)
		}
	}
	content := map[string][]string{name: programs(), switchName: {"startovs"}}
	for _, name := range chartSettings(t) {
		if !of(name).knows(name) {
			t.Errorf("setting %s of the chart: no program reads it", name)
		}
	}
	found := 0
	for _, o := range all {
		for _, c := range slices.Concat(o.Spec.Template.Spec.Init, o.Spec.Template.Spec.Containers) {
			if c.Image != "" { // a patch names none
				found++
				if program := path.Base(c.Command[0]); !slices.Contains(content[c.Image], program) || c.Command[0] != "/bin/"+program {
					t.Errorf("%s: image %s runs %v; want a program of %v in /bin", c.Name, c.Image, c.Command, content)
				}
			}
			for _, arg := range c.Args {
				if c.Image == switchName && (arg == "database" || arg == "switch") {
					continue // what startovs becomes
				}
				if flag, _, _ := strings.Cut(arg, "="); !strings.Contains(helpOf(t, known, c.Command), flag+" ") {
					t.Errorf("%s: %v has no %s", c.Name, c.Command, flag)
				}
			}
			defined := map[string]struct{}{}
			if len(c.EnvFrom) > 0 {
				for _, name := range settings(t, all) {
					defined[name] = struct{}{}
				}
				defined["CONTIV_NETPLUGIN_NETMASTERS"] = struct{}{} // which operators add
			}
			for _, e := range c.Env {
				if strings.HasPrefix(e.Name, "CONTIV_") && !of(e.Name).knows(e.Name) {
					t.Errorf("%s: no program reads %s", c.Name, e.Name)
				}
				for _, used := range regexp.MustCompile(`\$\((\w+)\)`).FindAllStringSubmatch(e.Value, -1) {
					if _, ok := defined[used[1]]; !ok {
						t.Errorf("%s: %s uses %s, which is not defined before it", c.Name, e.Name, used[1])
					}
				}
				defined[e.Name] = struct{}{}
			}
			for _, used := range regexp.MustCompile(`\$\((\w+)\)`).FindAllStringSubmatch(strings.Join(c.Args, " "), -1) {
				if _, ok := defined[used[1]]; !ok {
					t.Errorf("%s: an argument uses %s, which is not defined", c.Name, used[1])
				}
			}
		}
	}
	if found != 8 {
		t.Errorf("containers: got %d, want netmaster, netplugin, what certifies each, two of Open vSwitch, and two that remove", found)
	}
}

// netmaster may do what daemon/kube says, and agents nothing.
func TestRights(t *testing.T) {
	var rules, local []kube.Right
	for _, o := range read(t) {
		pods := o.Spec.Template.Spec
		switch o.Kind {
		case "ClusterRole", "Role":
			for _, r := range o.Rules {
				if o.Metadata.Name == "contiv-metrics" {
					if !reflect.DeepEqual(r.Paths, []string{"/metrics"}) || !reflect.DeepEqual(r.Verbs, []string{"get"}) || len(r.Resources) > 0 {
						t.Errorf("contiv-metrics permits %v, want to get /metrics", r)
					}
					continue
				}
				if len(r.APIGroups) != 1 {
					t.Fatalf("a rule of groups %v, want one group", r.APIGroups)
				}
				right := kube.Right{Group: r.APIGroups[0], Resources: r.Resources, Names: r.ResourceNames, Verbs: r.Verbs}
				if o.Kind == "Role" {
					local = append(local, right)
				} else {
					rules = append(rules, right)
				}
			}
		case "ClusterRoleBinding", "RoleBinding":
			if len(o.Subjects) != 1 || o.Subjects[0].Name != "netmaster" || o.Subjects[0].Kind != "ServiceAccount" || o.Subjects[0].Namespace != "contiv-system" {
				t.Errorf("%s gives rights to %v, want only netmaster's account", o.Metadata.Name, o.Subjects)
			}
		case "ServiceAccount":
			if o.Metadata.Name != "netmaster" && (o.Automount == nil || *o.Automount) {
				t.Errorf("account %s has a token in its pods", o.Metadata.Name)
			}
		case "DaemonSet":
			if len(pods.Containers) > 0 && pods.Containers[0].Image != "" && pods.Account != "netmaster" && (pods.Automount == nil || *pods.Automount) {
				t.Errorf("pods of %s have a token", o.Metadata.Name)
			}
		}
	}
	if want := kube.Rights(); !reflect.DeepEqual(rules, want) {
		t.Errorf("base/rights.yaml permits\n%v\nand daemon/kube needs\n%v", rules, want)
	}
	if want := kube.ConfigMapRights("contiv-store"); !reflect.DeepEqual(local, want) {
		t.Errorf("embedded/rights.yaml permits\n%v\nand the agreement of a store needs\n%v", local, want)
	}
}

// Netmasters run on nodes of the control plane, whatever value the label has: kubeadm gives it none, k3s and RKE2 "true".
func TestControlPlane(t *testing.T) {
	var set struct {
		Spec struct {
			Template struct {
				Spec struct {
					Links        *bool             `yaml:"enableServiceLinks"`
					NodeSelector map[string]string `yaml:"nodeSelector"`
					Affinity     struct {
						NodeAffinity struct {
							Required struct {
								Terms []struct {
									Expressions []struct{ Key, Operator string } `yaml:"matchExpressions"`
								} `yaml:"nodeSelectorTerms"`
							} `yaml:"requiredDuringSchedulingIgnoredDuringExecution"`
						} `yaml:"nodeAffinity"`
					}
				}
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(manifests, "base", "netmaster.yaml"))
	if err == nil {
		err = yaml.Unmarshal(text, &set)
	}
	if err != nil {
		t.Fatal(err)
	}
	pods := set.Spec.Template.Spec
	if pods.Links == nil || *pods.Links {
		t.Error("netmaster refuses variables that it does not know, and the names of services may give it some: want enableServiceLinks: false")
	}
	terms := pods.Affinity.NodeAffinity.Required.Terms
	if len(pods.NodeSelector) > 0 || len(terms) != 1 || len(terms[0].Expressions) != 1 || terms[0].Expressions[0].Key != "node-role.kubernetes.io/control-plane" || terms[0].Expressions[0].Operator != "Exists" {
		t.Errorf("got the selector %v and the affinity %+v, want nodes that have the label node-role.kubernetes.io/control-plane", pods.NodeSelector, terms)
	}
}
