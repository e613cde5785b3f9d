// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/term"
)

// Every command that prints a result has the formats of scripts. The others print nothing, packets, a file or a shell's completion.
func TestEveryCommandHasFormats(t *testing.T) {
	silent := strings.Fields("completion-bash completion-zsh completion-fish completion-powershell capture login logout support-bundle " +
		"auth-password auth-ldap-password auth-oidc-secret auth-revoke config-use-context config-set-context config-delete-context config-set-alias config-delete-alias")
	root := newRoot(&Factory{Getenv: func(string) string { return "" }}, "")
	root.InitDefaultCompletionCmd()
	for _, c := range runnable(root) {
		name := strings.ReplaceAll(strings.TrimPrefix(c.CommandPath(), "netctl "), " ", "-")
		flag := c.Flags().Lookup("output")
		has := flag != nil && strings.HasSuffix(flag.Usage, term.FormatUsage)
		if has == slices.Contains(silent, name) {
			t.Errorf("%s: has the formats: %v, want %v", name, has, !has)
		}
	}
}

// Every command that changes something has a dry run. The others read, or are the user's own: logins, passwords and files.
func TestEveryChangeHasDryRun(t *testing.T) {
	reads := strings.Fields("completion-* *-ls *-inspect *-info *-uplinks ip-show ip-history ip-who get describe diff export explain events history status doctor drift version " +
		"why matrix find flows top observe capture leader leader-peers logs support-bundle login logout auth-whoami auth-can-i auth-tokens auth-*password auth-oidc-secret audit " +
		"config-view config-get-* config-current-context")
	root := newRoot(&Factory{Getenv: func(string) string { return "" }}, "")
	root.InitDefaultCompletionCmd()
	for _, c := range runnable(root) {
		name := strings.ReplaceAll(strings.TrimPrefix(c.CommandPath(), "netctl "), " ", "-")
		only := slices.ContainsFunc(reads, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok })
		if has := c.Flags().Lookup("dry-run") != nil; has == only {
			t.Errorf("%s: has --dry-run: %v, want %v", name, has, !has)
		}
	}
}

// Results of one object, streams and changes are the same in every format.
func TestFormats(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, line := range []string{"network create n1 -s 10.1.1.0/24", "policy create p", "policy rule-add p 1 --direction in --action deny", "ip quarantine 10.1.1.9 -n n1"} {
		if got := netctl(t, t.Context(), m.URL, strings.Fields(line)...); got.code != 0 {
			t.Fatalf("%s: %+v", line, got)
		}
	}
	for _, row := range []struct{ line, want string }{
		{"events --kind network -o jsonpath={.verb}", "create\n"},
		{"events --kind network -o go-template={{.key}};", "default:n1;"},
		{"events --kind network -o name", "network/default:n1\n"},
		{"events --kind network,policy -o custom-columns=KIND:.kind,KEY:.key", "KIND     KEY\nnetwork  default:n1\npolicy  default:p\n"},
		{"ip who 10.1.1.9 -o jsonpath={.items[0].state}", "quarantine\n"},
		{"ip who 10.1.1.9 -o name", "quarantine/\n"},
		{"ip release 10.1.1.9 -n n1 --dry-run", "10.1.1.9 of default:n1 would be released (dry run)\n"},
		{"ip quarantine 10.1.1.10 -n n1 --dry-run -o jsonpath={.state}", "free\n"},
		{"ip release 10.1.1.9 -n n1 -o jsonpath={.released}", "true\n"},
		{"export -o name", "global/global\ntenant/default\nnetwork/default:n1\npolicy/default:p\nrule/default:p:1\n"},
		{"export -o jsonpath={.items[?(@.kind==\"rule\")].ruleId}", "1\n"},
		{"explain in-use -o jsonpath={.status}", "409\n"},
		{"describe policy p -o jsonpath={.key}", "default:p\n"},
		{"policy rule-rm p 1 --output jsonpath={.items[0].action}", "deleted\n"},
		{"label policy p a=b -o jsonpath={.items[0].action}", "updated\n"},
		{"config get-contexts -o csv", "Current,Name,Cluster,User,Tenant,Servers\n"},
		{"network ls -o csv --no-headers", "default,n1,data,vxlan,0,10.1.1.0/24,,,,,1,0,254\n"},
		{"network ls -q --sort-by network", "n1\n"},
	} {
		if got := netctl(t, t.Context(), m.URL, strings.Fields(row.line)...); got.code != 0 || got.out != row.want {
			t.Errorf("netctl %s: want %q, got %+v", row.line, row.want, got)
		}
	}
}

// The command apply accepts the JSON and YAML of get.
func TestApplyAcceptsOutputOfGet(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, line := range []string{"network create n1 -s 10.1.1.0/24", "group create n1 g"} {
		if got := netctl(t, t.Context(), m.URL, strings.Fields(line)...); got.code != 0 {
			t.Fatalf("%s: %+v", line, got)
		}
	}
	for _, format := range []string{"json", "yaml"} {
		for _, what := range []string{"networks,groups", "group/g", "network"} {
			got := netctl(t, t.Context(), m.URL, "get", what, "-o", format)
			if again := netctlFed(t, t.Context(), m.URL, got.out, "apply", "-f", "-"); again.code != 0 || !strings.Contains(again.out, "unchanged\n") {
				t.Errorf("get %s -o %s | apply: got %+v of\n%s", what, format, again, got.out)
			}
		}
	}
}

// A revision is taken back: a change, a deletion and a creation, unless the object has changed since.
func TestUndo(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	run := func(line string) result {
		t.Helper()
		return netctl(t, t.Context(), m.URL, strings.Fields(line)...)
	}
	last := func() string {
		t.Helper()
		return strings.TrimSpace(run("history --limit 1 -o jsonpath={.items[0].revision}").out)
	}
	run("policy create p")
	run("policy rule-add p 1 --direction in --action deny --protocol tcp --port 80")
	added := last()
	if got := netctl(t, t.Context(), m.URL, "patch", "rule", "default:p:1", "-p", "port: 81"); got.code != 0 {
		t.Fatal(got.err)
	}
	patched := last()
	for _, row := range []struct {
		line string
		code int
		out  string
		err  string
	}{
		{"undo " + added, 3, "", "rule default:p:1 has changed since revision " + added + ": revision " + patched},
		{"undo " + patched + " --dry-run", 0, "~ rule default:p:1\n    port: 81 -> 80\n", ""},
		{"get rule default:p:1 -o jsonpath={.port}", 0, "81\n", ""},
		{"undo " + patched, 0, "~ rule default:p:1\n    port: 81 -> 80\n", ""},
		{"undo rule/default:p:1 --dry-run", 0, "~ rule default:p:1\n    port: 80 -> 81\n", ""},
		{"undo rule p:1", 0, "~ rule default:p:1\n    port: 80 -> 81\n", ""},
		{"undo rule default:p:9", 3, "", "the history has no change of rule default:p:9"},
		{"undo endpoint default:x:y", 1, "", "endpoint"},
		{"undo " + added + " --force", 0, "- rule default:p:1\n", ""},
		{"get rule -o name", 0, "", ""},
	} {
		if got := run(row.line); got.code != row.code || got.out != row.out || !strings.Contains(got.err, row.err) {
			t.Errorf("netctl %s: want exit %d, %q and %q, got %+v", row.line, row.code, row.out, row.err, got)
		}
	}
	if got := run("undo " + last()); got.code != 0 || got.out != "+ rule default:p:1\n" && !strings.HasPrefix(got.out, "+ rule default:p:1\n") {
		t.Errorf("a deletion: want the rule back, got %+v", got)
	}
}

// Objects are shown and compared as they were at a moment.
func TestGetAt(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	run := func(line string) result {
		t.Helper()
		return netctl(t, t.Context(), m.URL, strings.Fields(line)...)
	}
	run("network create n1 -s 10.1.1.0/24")
	then := strings.TrimSpace(run("history --limit 1 -o jsonpath={.items[0].revision}").out)
	m.Must(t, "attach n1 c1")
	attached := strings.TrimSpace(run("history --limit 1 -o jsonpath={.items[0].revision}").out)
	m.Must(t, "detach n1 c1")
	run("network create n2 -s 10.1.2.0/24")
	run("network rm n1")
	for _, row := range []struct {
		line string
		code int
		out  string
	}{
		{"get networks --at " + then + " -o name", 0, "network/default:n1\n"},
		{"get networks,tenants --at " + then + " -o name", 0, "network/default:n1\ntenant/default\n"},
		{"get network n1 --at " + then + " -o jsonpath={.subnet}", 0, "10.1.1.0/24\n"},
		{"get network/n1 tenant/default --at " + then + " -o name", 0, "network/default:n1\ntenant/default\n"},
		{"get networks --at " + attached + " -o custom-columns=N:.networkName,E:.summary.endpoints --no-headers", 0, "n1  1\n"},
		{"get endpoints --at " + attached + " -o custom-columns=E:.endpointID,A:.ipAddress[0],H:.homingHost --no-headers", 0, "c1  10.1.1.1  h1\n"},
		{"get endpoint c1 --at " + attached + " -o name", 0, "endpoint/default:n1:c1\n"},
		{"get endpoints --at " + then + " -o name", 0, ""},
		{"get all --at " + then + " -o name", 0, "global/global\nnetwork/default:n1\ntenant/default\n"},
		{"get networkpolicies --at " + then, 3, ""},
		{"diff network --from " + then, 10, "+ network default:n2\n- network default:n1\n"},
		{"diff network n1 --from " + then, 10, "- network default:n1\n"},
		{"diff --from " + then + " -o name", 10, "network/default:n2\nnetwork/default:n1\n"},
		{"diff --from " + then + " --to " + then, 0, ""},
	} {
		if got := run(row.line); got.code != row.code || got.out != row.out {
			t.Errorf("netctl %s: want exit %d and %q, got %+v", row.line, row.code, row.out, got)
		}
	}
}

// A tenant goes with all its objects: after a list and a confirmation, and not while containers are attached.
func TestCascade(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	run := func(typed, line string) result {
		t.Helper()
		var out, errs bytes.Buffer
		f := &Factory{Streams: term.Streams{In: strings.NewReader(typed), InTTY: typed != "", Out: &out, Err: &errs, Now: time.Now}, Home: t.TempDir(),
			Getenv: func(name string) string { return map[string]string{"NETMASTER": m.URL}[name] }}
		return result{Run(t.Context(), f, strings.Fields(line)), out.String(), errs.String()}
	}
	for _, line := range []string{"tenant create shop", "network create -t shop n1 -s 10.1.1.0/24", "group create -t shop n1 g", "tenant create busy", "network create -t busy n1 -s 10.1.1.0/24"} {
		if got := run("", line); got.code != 0 {
			t.Fatal(got.err)
		}
	}
	m.Endpoint(t, "busy", "n1", "", "c1", "")
	listed := "endpointGroup shop:g deleted (dry run) (affects group shop:g)\nnetwork shop:n1 deleted (dry run)\ntenant shop deleted (dry run)\n"
	for _, row := range []struct {
		typed, line string
		code        int
		out, err    string
	}{
		{"", "tenant rm busy --cascade --yes", 3, "", "tenant busy has endpoints: c1 on h1 (stop their containers first)"},
		{"", "tenant rm shop --cascade", 10, "", listed + "error: nothing was changed"},
		{"n\n", "tenant rm shop --cascade", 10, "", listed + "Delete these 3 objects? [y/N] "},
		{"", "tenant rm shop --cascade --dry-run", 0, listed, ""},
		{"y\n", "tenant rm shop --cascade", 0, strings.ReplaceAll(strings.ReplaceAll(listed, " (affects group shop:g)", ""), " (dry run)", ""), listed},
		{"", "tenant rm nothing --cascade --yes", 3, "", "tenant not found"},
	} {
		if got := run(row.typed, row.line); got.code != row.code || got.out != row.out || !strings.Contains(got.err, row.err) {
			t.Errorf("netctl %s with %q: want exit %d, %q and %q, got %+v", row.line, row.typed, row.code, row.out, row.err, got)
		}
	}
}

// A program netctl-NAME in $PATH is a command, and an alias of the user's file another; neither replaces a command.
func TestPluginsAndAliases(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	dir, home := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"netctl-hello": "echo hello $*; exit 7", "netctl-hello-world": "cat", "netctl-get": "echo wrong", "netctl-deep-down": "echo deep $*"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "netctl-plain"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	run := func(args ...string) result {
		t.Helper()
		var out, errs bytes.Buffer
		f := &Factory{Streams: term.Streams{In: strings.NewReader("typed\n"), Out: &out, Err: &errs, Now: time.Now}, Home: home,
			Getenv: func(name string) string {
				return map[string]string{"NETMASTER": m.URL, "PATH": dir + string(filepath.ListSeparator) + dir}[name]
			}}
		return result{Run(t.Context(), f, args), out.String(), errs.String()}
	}
	for _, row := range []struct {
		line string
		code int
		out  string
		err  string
	}{
		{"hello you --x", 7, "hello you --x\n", ""},
		{"hello world", 0, "typed\n", ""},
		{"deep down under", 0, "deep under\n", ""},
		{"deep", 1, "", "No help topic for 'deep'"},
		{"--insecure hello", 1, "", "No help topic for 'hello'"},
		{"get tenants -q", 0, "default\n", ""},
		{"plain", 1, "", "No help topic for 'plain'"},
		{"web", 1, "", "No help topic for 'web'"},
		{"web -q", 0, "default\n", ""},
		{"config get-aliases -o name", 0, "web\n", ""},
		{"config delete-alias web", 0, "Alias \"web\" deleted.\n", ""},
		{"web -q", 1, "", "No help topic for 'web'"},
	} {
		if row.line == "web -q" && row.code == 0 {
			if got := run("config", "set-alias", "web", "get  'tenants'"); got.code != 0 || got.out != "Alias \"web\" set.\n" {
				t.Fatalf("set-alias: %+v", got)
			}
		}
		if got := run(strings.Fields(row.line)...); got.code != row.code || got.out != row.out || !strings.Contains(got.err, row.err) {
			t.Errorf("netctl %s: want exit %d, %q and %q, got %+v", row.line, row.code, row.out, row.err, got)
		}
	}
	var answer struct{ Items []plugin }
	if err := json.Unmarshal([]byte(run("plugin", "ls", "-o", "json").out), &answer); err != nil {
		t.Fatal(err)
	}
	notes := map[string][]string{}
	for _, p := range answer.Items {
		notes[p.Name] = append(notes[p.Name], p.Reason)
	}
	if len(notes["hello world"]) != 2 || notes["hello world"][0] != "" || !strings.Contains(notes["hello world"][1], "comes first") ||
		!strings.Contains(notes["get"][0], "is a command") || !strings.Contains(notes["plain"][0], "not executable") {
		t.Errorf("want each plugin with the reason why it does not run, got %v", notes)
	}
}

// The command line of an alias is split as a shell does it.
func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		"get endpoints":         {"get", "endpoints"},
		" get  'a b' x\"y z\" ": {"get", "a b", "xy z"},
		"''":                    {""},
		"":                      nil,
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: want %q, got %q, %v", line, want, got, err)
		}
	}
	if got, err := splitWords("get 'x"); err == nil || !strings.Contains(err.Error(), "want the quote ' to end") {
		t.Errorf("an open quote: want a refusal, got %q", got)
	}
}
