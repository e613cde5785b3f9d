// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/contiv/contiv/api/model"
)

func mesosServer(e *engine) *Server {
	s := server(e)
	s.Mesos = true
	return s
}

// networkInfo returns a configuration as Mesos passes it, with these labels.
func networkInfo(name, labels string) string {
	return `{"name":"` + name + `","type":"netcontiv","args":{"org.apache.mesos":{"network_info":{"name":"` + name + `","labels":{"labels":[` + labels + `]}}}}}`
}

func TestMesosLabels(t *testing.T) {
	const blue = `{"key":"io.contiv.tenant","value":"blue"},{"key":"io.contiv.network","value":"front"},{"key":"io.contiv.net-group","value":"web"},{"key":"app","value":"shop"}`
	const red = `{"key":"io.contiv.tenant","value":"red"}`
	huge := networkInfo("netcontiv", blue) + strings.Repeat(" ", maxMesosFile)
	for _, r := range []struct {
		name, stdin, file string
		mode              os.FileMode
		want              string // identity, or part of the error
	}{
		{"nothing", `{"name":"n"}`, "", 0, "default/default-net/"},
		{"configuration", networkInfo("n", blue), "", 0, "blue/front/web"},
		{"a label twice", networkInfo("n", blue+","+red), "", 0, "red/front/web"},
		{"a label without a value", networkInfo("n", `{"key":"io.contiv.tenant"}`), "", 0, "default/default-net/"},
		{"file", `{"name":"n"}`, networkInfo("netcontiv", blue), 0o644, "blue/front/web"},
		{"configuration before the file", networkInfo("n", red), networkInfo("netcontiv", blue), 0o644, "red/default-net/"},
		{"file without labels", `{"name":"n"}`, `{"name":"netcontiv"}`, 0o600, "default/default-net/"},
		{"operator before labels", strings.Replace(networkInfo("n", blue), `"name"`, `"tenant":"green","name"`, 1), "", 0, "green/front/web"},
		{"file that others may write", `{"name":"n"}`, networkInfo("netcontiv", blue), 0o666, "no other may write"},
		{"file that is no JSON", `{"name":"n"}`, "{", 0o644, "unexpected end"},
		{"file without an end", `{"name":"n"}`, huge, 0o644, "more than"},
		{"labels that are none", `{"name":"n","args":{"org.apache.mesos":{"network_info":{"labels":7}}}}`, "", 0, "read network configuration"},
	} {
		dir := t.TempDir()
		if r.file != "" {
			path := filepath.Join(dir, mesosFile)
			err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(r.file), 0o600), os.Chmod(path, r.mode))
			if err != nil {
				t.Fatal(err)
			}
		}
		e := &engine{}
		a := do(t, mesosServer(e), call("ADD", r.stdin, "CNI_NETNS="+filepath.Join(dir, "ns"), "CNI_ARGS="))
		q := e.got["c1"]
		got := q.Tenant + "/" + q.Network + "/" + q.Group
		if a.Exit != 0 {
			got = string(a.Stdout)
		}
		if !strings.Contains(got, r.want) {
			t.Errorf("%s: want %s, got %s", r.name, r.want, got)
		}
		if r.name == "configuration" && q.Labels["app"] != "shop" {
			t.Errorf("labels of the container: want app=shop, got %v", q.Labels)
		}
	}
}

// A link, a pipe and a directory in place of the file are refused immediately.
func TestMesosFileThatIsNone(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"link":      func(path string) error { return os.Symlink("/etc/hostname", path) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"pipe":      mkfifo,
	} {
		path := filepath.Join(t.TempDir(), mesosFile)
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), put(path)); err != nil {
			t.Fatal(err)
		}
		if _, err := mesosFileArgs(filepath.Dir(filepath.Dir(path)) + "/ns"); err == nil {
			t.Errorf("%s: want an error, got none", name)
		}
	}
	if args, err := mesosFileArgs("relative/ns"); args != nil || err != nil {
		t.Errorf("a path that is relative: want nothing read, got %v %v", args, err)
	}
}

// The original's netcontiv gets the answers that it expects, and an error for a failed DEL.
func TestOriginalMesosPlugin(t *testing.T) {
	e := &engine{}
	s := mesosServer(e)
	body := func(id string) string {
		return `{"cni_ifname":"eth0","cni_netns":"/run/mesos/isolators/network/cni/` + id + `/ns","cni_containerid":"` + id +
			`","labels":{"io.contiv.tenant":"blue","io.contiv.network":"","io.contiv.net-group":"web"}}`
	}
	w := post(t, s.Handler(), pathMesosAdd, body("c1"))
	want := `{"cniVersion":"0.2.0","ip4":{"ip":"10.1.1.5/24","gateway":"10.1.1.254","routes":[{"dst":"0.0.0.0/0","gw":"10.1.1.254"}]},"ip6":{"ip":"2001:db8::5/64"},"dns":{}}`
	if got := w.Body.String(); w.Code != 200 || got != want {
		t.Errorf("add: want %s, got %d %s", want, w.Code, got)
	}
	if q := e.got["c1"]; q.Tenant != "blue" || q.Network != "default-net" || q.Group != "web" {
		t.Errorf("add: want blue/default-net/web, got %+v", q)
	}
	if w = post(t, s.Handler(), pathMesosDel, body("c1")); w.Code != 200 || w.Body.Len() != 0 || len(e.got) != 0 {
		t.Errorf("del: want 200, an empty body and nothing attached, got %d %q %v", w.Code, w.Body, maps.Collect(maps.All(e.got)))
	}
	e.err = model.Errorf(model.CodeUnavailable, "", "no leader").Try("repeat the request later")
	for _, path := range []string{pathMesosAdd, pathMesosDel} {
		w = post(t, s.Handler(), path, body("c1"))
		want := `{"cniVersion":"0.2.0","code":11,"msg":"Contiv: no leader","details":"repeat the request later"}`
		if got := w.Body.String(); w.Code != 500 || got != want {
			t.Errorf("%s that fails: want 500 %s, got %d %s", path, want, w.Code, got)
		}
	}
	for _, bad := range []string{"{", body("../x"), `{"cni_containerid":"c1","cni_ifname":"a/b"}`, `{}`} {
		if w := post(t, s.Handler(), pathMesosAdd, bad); w.Code != 500 || !strings.Contains(w.Body.String(), `"code":`) {
			t.Errorf("%s: want 500 and a code, got %d %s", bad, w.Code, w.Body)
		}
	}
	// Each path serves its own original plugin.
	if w := post(t, server(&engine{}).Handler(), pathMesosAdd, body("c1")); w.Code != 404 {
		t.Errorf("at the socket for Kubernetes: want 404, got %d", w.Code)
	}
	if got := fmt.Sprint(s); got != "CNI for Mesos at " {
		t.Errorf("name: got %q", got)
	}
}

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }
