// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/flags"
)

// built makes static programs that say they read the variables that daemons read.
func built(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text := `package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	name := "CONTIV_" + strings.ToUpper(filepath.Base(os.Args[0]))
	fmt.Printf("[")
	for _, v := range []string{"MODE", "NET_MODE", "FORWARD_MODE", "PLUGIN_NAME", "DOCKER_AGENT_SOCKET"} {
		fmt.Printf("{\"name\": \"%s_%s\", \"usage\": \"a mode\"},", name, v)
	}
	fmt.Printf("{\"name\": \"%s_PORT\", \"usage\": \"a port\", \"default\": \"80\"}]", name)
}
`
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range programs() {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, name), source)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

func TestPack(t *testing.T) {
	bin, out := built(t), filepath.Join(t.TempDir(), "plugin")
	for range 2 { // the second time in place of the first
		if err := pack(bin, out, "v9"); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range programs() {
		info, err := os.Stat(filepath.Join(out, "rootfs/bin", name))
		if err != nil || info.Mode().Perm()&0o111 == 0 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if to, err := os.Readlink(filepath.Join(out, "rootfs/run/openvswitch")); to != "/var/run/openvswitch" || err != nil {
		t.Errorf("the way to Open vSwitch is %s, %v", to, err)
	}
	var c Config
	text, err := os.ReadFile(filepath.Join(out, "config.json"))
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(c.Description, "v9") || c.Interface.Socket != "netplugin.sock" || c.Network.Type != "host" {
		t.Errorf("config.json: %s", text)
	}
	for _, want := range []Env{
		{"CONTIV_ROLE", "netplugin; or netmaster: netplugin and netmaster", "netplugin", []string{"value"}},
		{"CONTIV_NETMASTER_MODE", "a mode", "swarm-mode", []string{"value"}},
		{"CONTIV_NETPLUGIN_PORT", "a port (default 80)", "", []string{"value"}},
	} {
		if !slices.ContainsFunc(c.Env, func(e Env) bool {
			return e.Name == want.Name && e.Description == want.Description && e.Value == want.Value && slices.Equal(e.Settable, want.Settable)
		}) {
			t.Errorf("want %v in %v", want, c.Env)
		}
	}
}

// Where mounts go there is a directory, and a path that is a link leads into one of them.
func TestRootfs(t *testing.T) {
	for _, m := range mounts() {
		if !slices.Contains(directories(), strings.TrimPrefix(m.Destination, "/")) {
			t.Errorf("mount %s goes to %s, where no directory is", m.Name, m.Destination)
		}
	}
	for at, to := range links() {
		if !slices.ContainsFunc(mounts(), func(m Mount) bool { return strings.HasPrefix(to, m.Destination+"/") }) {
			t.Errorf("%s leads to %s, which is nothing of the host", at, to)
		}
	}
	if !slices.Contains(directories(), strings.TrimPrefix(dataDir, "/")) {
		t.Errorf("%s is not a directory", dataDir)
	}
}

func TestRefusals(t *testing.T) {
	if _, err := newConfig("v1", []flags.Variable{{Name: "CONTIV_NETPLUGIN_MODE"}}); err == nil || !strings.Contains(err.Error(), "CONTIV_NETMASTER_MODE") {
		t.Errorf("presets of variables that no program reads: got %v", err)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := install(sh, filepath.Join(t.TempDir(), "sh")); err == nil || !strings.Contains(err.Error(), "CGO_ENABLED=0") {
		t.Errorf("a program that needs libraries: got %v", err)
	}
	if err := pack(t.TempDir(), filepath.Join(t.TempDir(), "x"), "v1"); err == nil || !strings.Contains(err.Error(), "netplugin") {
		t.Errorf("programs that are not built: got %v", err)
	}
}
