// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	typed "github.com/contiv/contiv/test/machines/page"
)

// The commands of the tutorial about Docker succeed, and print what it shows.
func TestTutorial(t *testing.T) {
	const file, name = "../../docs/tutorials/docker.md", "--name dock"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	commands, err := typed.Commands(string(text))
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for program, dir := range map[string]string{"contiv": "console", "contiv-lab": "lab/contivlab", "netctl": "netctl", "netmaster": "daemon/master", "netplugin": "daemon/agent", "contivk8s": "cni"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, program), "github.com/contiv/contiv/"+dir).CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", program, err, out)
		}
	}
	dir, err := os.MkdirTemp("", "tut") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := typed.NewTerminal(append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+dir), func(text string) string { return text })
	if err != nil {
		t.Fatal(err)
	}
	own := fmt.Sprintf("--dir %s --name tutorial", dir)
	defer func() {
		if err := terminal.Type(typed.Typed{Shell: "contiv lab down " + own}); err != nil {
			t.Error(err)
		}
		terminal.Close()
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}()
	for _, c := range commands {
		c.Shell = strings.ReplaceAll(c.Shell, name, own)
		if err := terminal.Type(c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
}
