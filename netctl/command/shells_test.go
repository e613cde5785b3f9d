// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Bash, zsh and fish complete netctl's words with its scripts: here, the names of networks of a tenant, the values of a flag, and what a search finds.
func TestShellsComplete(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, line := range []string{"tenant create shop", "network create -t shop front -s 10.7.0.0/24", "network create -t shop back -s 10.8.0.0/24"} {
		if got := netctl(t, t.Context(), m.URL, strings.Fields(line)...); got.code != 0 {
			t.Fatalf("%s: %+v", line, got)
		}
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "netctl"), "github.com/contiv/contiv/netctl")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build netctl: %v\n%s", err, out)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script := netctl(t, t.Context(), m.URL, "completion", shell)
		if err := os.WriteFile(filepath.Join(dir, "script."+shell), []byte(script.out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for shell, text := range map[string]string{
		"bash": `. /usr/share/bash-completion/bash_completion; . $DIR/script.bash
complete_line() { COMP_LINE="$1"; COMP_POINT=${#1}; read -ra COMP_WORDS <<<"$1"; case "$1" in *" ") COMP_WORDS+=("") ;; esac
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); __start_netctl netctl; printf '%s\n' "${COMPREPLY[@]}"; }
complete_line "netctl get network -t shop f"; complete_line "netctl network create --encap vx"; complete_line "netctl find ba"`,
		"zsh": `autoload -U compinit; compinit -u -D; . $DIR/script.zsh
compadd() { while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done; print -l -- "${@:2}"; }
_describe() { local name=$argv[-1]; for a in "$@"; do [[ $a == completions ]] && print -l -- ${completions%%:*}; done; return 0; }
words=(netctl get network -t shop f); CURRENT=6; _netctl; words=(netctl network create --encap vx); CURRENT=5; _netctl
words=(netctl find ba); CURRENT=3; _netctl; true`,
		"fish": `source $DIR/script.fish; complete -C "netctl get network -t shop f"; complete -C "netctl network create --encap vx"; complete -C "netctl find ba"`,
	} {
		c := exec.Command(shell, "-c", text)
		c.Env = append(os.Environ(), "DIR="+dir, "PATH="+dir+":"+os.Getenv("PATH"), "NETMASTER="+m.URL, "HOME="+dir, "XDG_CONFIG_HOME="+dir)
		var errs bytes.Buffer
		c.Stderr = &errs
		out, err := c.Output()
		words := strings.Fields(string(out))
		for _, want := range []string{"front", "vxlan", "back"} {
			if err != nil || !slices.Contains(words, want) {
				t.Errorf("%s: want %s, got %q, %v\n%s", shell, want, words, err, errs.String())
			}
		}
	}
}
