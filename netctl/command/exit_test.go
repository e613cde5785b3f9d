// SPDX-License-Identifier: Apache-2.0

package command

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// Every command ends as the table of exit codes says: what is wrong on the command line ends with 1, one message and where the help
// is, all of it beside the output; a refusal of the server ends with 3.
func TestExitCodesOfAllCommands(t *testing.T) {
	offline := []string{"explain", "completion bash", "completion fish", "completion powershell", "completion zsh"} // ask no server
	files := map[string]int{"config view": term.OK, "config get-contexts": term.OK, "config current-context": term.Local, "config use-context": term.Local, "config set-context": term.OK, "config delete-context": term.Local,
		"config get-aliases": term.OK, "config set-alias": term.OK, "config delete-alias": term.Local, "plugin ls": term.OK}
	// commands that need more than valid arguments
	more := map[string][]string{
		"network create": {"-s", "10.1.1.0/24"}, "service create": {"-s", "n", "-l", "a=b", "-p", "1:2:tcp"}, "bgp create": {"--router-ip", "50.1.1.2/24",
			"--as", "1", "--neighbor-as", "2", "--neighbor", "50.1.1.3"}, "external-contracts create": {"-p", "-a", "x"},
		"authorization create": {"--role", "viewer"}, "apply": {"-f", "-"}, "diff": {"-f", "-"}, "delete": {"-f", "-"}, "ip quarantine": {"-n", "n"}, "ip release": {"-n", "n"}, "patch": {"-p", "a: b"},
	}
	args := map[string][]string{"get": {"network"}, "describe": {"network", "x"}, "explain": {"network"}, "history": {"network"}, "edit": {"network", "x"}, "label": {"network", "x", "a=b"}, "delete": {}, "patch": {"network", "x"}, "undo": {"1"}, "config set-alias": {"x", "get network"}, "config set-context": {"x"}}
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	defer refusing.Close()
	root := newRoot(&Factory{Getenv: func(string) string { return "" }}, "")
	root.InitDefaultCompletionCmd()
	seen := 0
	for _, c := range runnable(root) {
		seen++
		path := strings.TrimPrefix(c.CommandPath(), "netctl ")
		line := strings.Fields(path)
		got := netctl(t, t.Context(), "http://127.0.0.1:1", append(slices.Clone(line), "--no-such-flag")...)
		want := "error: unknown flag: --no-such-flag\nsee netctl " + path + " --help\n"
		if got.code != term.Usage || got.out != "" || got.err != want {
			t.Errorf("netctl %s --no-such-flag: want exit %d, nothing on the output and %q, got %+v", path, term.Usage, want, got)
		}
		given, ok := args[path]
		for n := 0; !ok && c.Args != nil && c.Args(c, given) != nil && n < 4; n++ {
			given = append(given, "x")
		}
		line = append(append(line, given...), more[path]...)
		got = netctlFed(t, t.Context(), refusing.URL, "{kind: tenant, tenantName: t}", line...)
		code := term.Server
		if local, ok := files[path]; ok {
			code = local
		}
		if slices.Contains(offline, path) {
			code = term.OK
		}
		if got.code != code || (got.err != "") != (code != term.OK) {
			t.Errorf("netctl %s, refused by the server: want exit %d, got %+v", strings.Join(line, " "), code, got)
		}
	}
	if seen < 70 {
		t.Errorf("want all commands, got %d", seen)
	}
}

// runnable are the commands that do something; help is none.
func runnable(c *cobra.Command) (out []*cobra.Command) {
	for _, sub := range c.Commands() {
		switch {
		case sub.Name() == "help":
		case sub.HasSubCommands():
			out = append(out, runnable(sub)...)
		default:
			out = append(out, sub)
		}
	}
	return out
}

// Each exit code means one thing, and the codes of refusals are in the table.
func TestExitCodesMeanOneThing(t *testing.T) {
	var codes []int
	for _, x := range term.ExitCodes() {
		if slices.Contains(codes, x.Code) || x.Doc == "" || x.Commands == "" {
			t.Errorf("exit code %d: want it once, with its commands and its meaning, got %+v", x.Code, x)
		}
		codes = append(codes, x.Code)
	}
	want := []int{term.OK, term.Usage, term.Version, term.Server, term.Local, term.Differs, term.Denied, term.Disagree, term.Unknown, term.Behind}
	if !slices.Equal(codes, want) {
		t.Errorf("want the codes %v, got %v", want, codes)
	}
	for _, c := range model.Codes() {
		if c.Exit != term.Server {
			t.Errorf("%s: a refusal ends with %d, got %d", c.Code, term.Server, c.Exit)
		}
	}
}

// Similar names are suggested for a misspelled one.
func TestUnknownCommandNamesItsLikes(t *testing.T) {
	for line, want := range map[string]string{"netwrok ls": "did you mean network?", "network creat": "did you mean create?", "policy rule-dd": "did you mean rule-add or"} {
		if got := netctl(t, t.Context(), "http://127.0.0.1:1", strings.Fields(line)...); got.code != term.Usage || !strings.Contains(got.err, want) || got.out != "" {
			t.Errorf("netctl %s: want exit %d and %q, got %+v", line, term.Usage, want, got)
		}
	}
}
