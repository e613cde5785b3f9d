// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/contiv/contiv/configfile"
)

// sample is a program with flags of each type.
type sample struct {
	*Set
	level, name, once string
	quiet             bool
	max               int
	ports             []string
}

func newSample(out io.Writer) *sample {
	p := &sample{Set: New("netmaster", "CONTIV_NETMASTER_", out)}
	p.String(&p.level, "log-level", "LOG_LEVEL", "INFO", "least severe messages", "loglevel")
	p.String(&p.name, "host-name", "HOST", "", "name")
	p.Bool(&p.quiet, "quiet", "QUIET", "log nothing")
	p.Int(&p.max, "max-agents", "MAX_AGENTS", 10, "maximum number of agents")
	p.List(&p.ports, "closed-ports", "CLOSED_PORTS", "ports")
	p.String(&p.once, "bundle", "BUNDLE", "", "another program")
	p.Standalone("bundle")
	return p
}

// written writes files below a directory, and returns it.
func written(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Each layer overrides those below it, and the origin names the last one.
func TestPrecedence(t *testing.T) {
	const host, main, one, two, own = "host/netmaster.env", "netmaster.yaml", "conf.d/10.yaml", "conf.d/20.yaml", "netmaster.env"
	all := map[string]string{host: "# ours\nCONTIV_NETMASTER_LOG_LEVEL=host\n", main: "\nlog-level: main\n", one: "netmaster:\n  log-level: one\nnetplugin:\n  whatever: 5\n",
		two: "netmaster: {log-level: two}\n", own: "CONTIV_NETMASTER_LOG_LEVEL=own\n"}
	upTo := func(names ...string) map[string]string {
		out := map[string]string{}
		for _, name := range names {
			out[name] = all[name]
		}
		return out
	}
	const variable = "CONTIV_NETMASTER_LOG_LEVEL"
	for _, row := range []struct {
		name   string
		files  map[string]string
		env    Env
		args   []string
		want   string
		origin string // DIR is the directory
	}{
		{"default", nil, nil, nil, "INFO", "default"},
		{"contiv init", upTo(host), Env{variable + "=host"}, nil, "host", "host settings " + variable + " (DIR/host/netmaster.env:2)"},
		{"a process with another environment", upTo(host), nil, nil, "INFO", "default"},
		{"file", upTo(host, main), Env{variable + "=host"}, nil, "main", "DIR/netmaster.yaml:2"},
		{"conf.d", upTo(host, main, one), Env{variable + "=host"}, nil, "one", "DIR/conf.d/10.yaml:2"},
		{"conf.d in order", upTo(host, main, one, two), Env{variable + "=host"}, nil, "two", "DIR/conf.d/20.yaml:1"},
		{"the operator's variables", all, Env{variable + "=own"}, nil, "own", "environment " + variable + " (DIR/netmaster.env:1)"},
		{"environment", all, Env{variable + "=env"}, nil, "env", "environment " + variable},
		{"flag", all, Env{variable + "=env"}, []string{"--log-level", "flag"}, "flag", "flag"},
		{"an alias", map[string]string{main: "loglevel: main\n"}, nil, nil, "main", "DIR/netmaster.yaml:1"},
		{"another file", map[string]string{main: "log-level: main\n", "x.yaml": "log-level: x\n"}, Env{"CONTIV_NETMASTER_CONFIG=DIR/x.yaml"}, nil, "x", "DIR/x.yaml:1"},
		{"no files", all, nil, []string{"--config-dir="}, "INFO", "default"},
		{"another program", all, nil, []string{"--bundle=x"}, "INFO", "default"},
		{"another program by variable", map[string]string{main: "log-levle: main\n"}, Env{"CONTIV_NETMASTER_BUNDLE=x", "CONTIV_NETMASTER_LOGLEVEL=x"}, nil, "INFO", "default"},
		{"a host setting that the operator clears", map[string]string{host: all[host] + "CONTIV_NETMASTER_HOST=h\n", own: variable + "=\n"}, Env{variable + "=", "CONTIV_NETMASTER_HOST=h"}, nil, "INFO", "default"},
		{"a host setting that a drop-in clears", map[string]string{host: all[host] + "CONTIV_NETMASTER_HOST=h\n"}, Env{variable + "=", "CONTIV_NETMASTER_HOST=h"}, nil, "INFO", "default"},
		{"a host setting that is cleared below a file", map[string]string{host: all[host], own: variable + "=\n", main: all[main]}, Env{variable + "="}, nil, "main", "DIR/netmaster.yaml:2"},
		{"an empty variable", upTo(main), Env{variable + "="}, nil, "main", "DIR/netmaster.yaml:2"},
	} {
		dir := written(t, row.files)
		env := append(Env{"CONTIV_NETMASTER_CONFIG_DIR=" + dir}, row.env...)
		for i := range env {
			env[i] = strings.ReplaceAll(env[i], "DIR/", dir+"/")
		}
		p := newSample(io.Discard)
		if err := p.Parse(row.args, env); err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		g, _ := p.last("log-level")
		if got := strings.ReplaceAll(g.origin.String(), dir, "DIR"); p.level != row.want || got != row.origin {
			t.Errorf("%s: want %q of %q, got %q of %q", row.name, row.want, row.origin, p.level, got)
		}
	}
}

func TestValues(t *testing.T) {
	dir := written(t, map[string]string{"netmaster.yaml": "host-name: \"5\"\nquiet: true\nmax-agents: 0x20\nclosed-ports: [tcp/22, 80]\n"})
	p := newSample(io.Discard)
	if err := p.Parse([]string{"--config-dir", dir}, nil); err != nil {
		t.Fatal(err)
	}
	if p.name != "5" || !p.quiet || p.max != 32 || strings.Join(p.ports, " ") != "tcp/22 80" {
		t.Errorf("got %+v", p)
	}
}

// All errors have their file, line and remedy, and come together.
func TestWrongFiles(t *testing.T) {
	for _, row := range []struct {
		name, file, text string
		want             []string
	}{
		{"an unknown key", "netmaster.yaml", "a: 1\n\nlog-levle: DEBUG\n", []string{"netmaster.yaml:1: unknown key a: contiv config schema netmaster lists", "netmaster.yaml:3: unknown key log-levle: did you mean log-level"}},
		{"an unknown key of conf.d", "conf.d/1.yaml", "netmaster:\n  max-agent: 1\nnetplugn: {}\n", []string{"conf.d/1.yaml:2: unknown key max-agent: did you mean max-agents?", "conf.d/1.yaml:3: unknown key netplugn: did you mean netplugin?"}},
		{"a section that is no map", "conf.d/1.yaml", "netmaster: [a]\n", []string{"conf.d/1.yaml:1: netmaster: got a list, want a map"}},
		{"types", "netmaster.yaml", "log-level: 5\nquiet: yes\nmax-agents: many\nclosed-ports: tcp/22\nhost-name:\n", []string{
			`:1: log-level: got a whole number (5), want text: write "5"`, ":2: quiet: got text (yes), want true or false", ":3: max-agents: got text (many), want a whole number",
			":4: closed-ports: got text (tcp/22), want a list: write [a, b]", `:5: host-name: got nothing, want text: write ""`}},
		{"a number that is too large", "netmaster.yaml", "max-agents: 99999999999999999999\n", []string{":1: max-agents: got a number (99999999999999999999)"}},
		{"items", "netmaster.yaml", "closed-ports: [\"a,b\"]\n", []string{`:1: closed-ports: item 1: got "a,b", want one value without a comma`}},
		{"lists in lists", "netmaster.yaml", "closed-ports: [a, [b]]\n", []string{":1: closed-ports: item 2: got a list, want text"}},
		{"a map", "netmaster.yaml", "log-level: {a: b}\n", []string{":1: log-level: got a map, want text"}},
		{"a doubled key", "netmaster.yaml", "quiet: true\nquiet: false\n", []string{":2: quiet: got the key twice"}},
		{"a flag and its alias", "netmaster.yaml", "log-level: DEBUG\nloglevel: INFO\n", []string{":2: loglevel: got the setting twice, want it once: line 1 has it as well"}},
		{"no settings", "netmaster.yaml", "config: x\nvariables: true\nbundle: x\n", []string{":1: config: files do not have this setting: use the flag --config or the variable CONTIV_NETMASTER_CONFIG",
			":2: variables: files do not have this setting: use the flag --variables", ":3: bundle: files do not"}},
		{"syntax", "netmaster.yaml", "a: b: c\n", []string{"netmaster.yaml:1: wrong YAML: mapping values"}},
	} {
		dir := written(t, map[string]string{row.file: row.text})
		err := newSample(io.Discard).Parse([]string{"--config-dir", dir}, nil)
		if got := joined(err); err == nil || len(got) != len(row.want) {
			t.Errorf("%s: want %d errors, got %v", row.name, len(row.want), err)
		}
		for _, want := range row.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: want %q, got %v", row.name, want, err)
			}
		}
	}
	for args, want := range map[string]string{"--config=/nonesuch.yaml": "/nonesuch.yaml: no such file", "--print-config=xml": "--print-config xml: it is one of yaml, json"} {
		if err := newSample(io.Discard).Parse([]string{args, "--config-dir="}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", args, want, err)
		}
	}
}

// Unknown variables of the program are errors, unless another build's contiv init or Kubernetes has set them.
func TestUnknownVariables(t *testing.T) {
	const host, own = "host/netmaster.env", "netmaster.env"
	for _, row := range []struct {
		name    string
		files   map[string]string
		env     Env
		want    string // the error
		warning string
	}{
		{"a typo", nil, Env{"CONTIV_NETMASTER_LOG_LEVLE=x"}, "environment: unknown variable CONTIV_NETMASTER_LOG_LEVLE: did you mean CONTIV_NETMASTER_LOG_LEVEL?", ""},
		{"nothing similar", nil, Env{"CONTIV_NETMASTER_X=x"}, "unknown variable CONTIV_NETMASTER_X: netmaster --help lists", ""},
		{"a typo of the operator's file", map[string]string{own: "\nCONTIV_NETMASTER_HOTS=x\n"}, Env{"CONTIV_NETMASTER_HOTS=x"}, "netmaster.env:2: unknown variable CONTIV_NETMASTER_HOTS: did you mean CONTIV_NETMASTER_HOST?", ""},
		{"of another build", map[string]string{host: "CONTIV_NETMASTER_NEW=x\n"}, Env{"CONTIV_NETMASTER_NEW=x"}, "", "netmaster.env:1: ignored the unknown variable CONTIV_NETMASTER_NEW"},
		{"an empty one", nil, Env{"CONTIV_NETMASTER_LOG_LEVLE="}, "", ""},
		{"of others", nil, Env{"CONTIV_NETPLUGIN_X=x", "CONTIV_TRUST=x", "CONTIV_ROLE=netmaster", "PATH=x"}, "", ""},
		{"of services", nil, Env{"CONTIV_NETMASTER_SERVICE_HOST=10.0.0.1", "CONTIV_NETMASTER_SERVICE_PORT=9999", "CONTIV_NETMASTER_SERVICE_PORT_API=9999", "CONTIV_NETMASTER_PORT=tcp://10.0.0.1:9999",
			"CONTIV_NETMASTER_PORT_9999_TCP=tcp://10.0.0.1:9999", "CONTIV_NETMASTER_PORT_9999_TCP_PROTO=tcp", "CONTIV_NETMASTER_PORT_9999_TCP_PORT=9999", "CONTIV_NETMASTER_PORT_9999_TCP_ADDR=10.0.0.1"}, "", ""},
		{"like those of services", nil, Env{"CONTIV_NETMASTER_PORT=80"}, "unknown variable CONTIV_NETMASTER_PORT", ""},
	} {
		dir := written(t, row.files)
		p := newSample(io.Discard)
		err := p.Parse([]string{"--config-dir", dir}, row.env)
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
		if got := strings.Join(p.Warnings(), "\n"); row.warning == "" && got != "" || !strings.Contains(got, row.warning) {
			t.Errorf("%s: want the warning %q, got %q", row.name, row.warning, got)
		}
	}
}

// Errors about values name the place of the value, and several stay apart.
func TestExplain(t *testing.T) {
	dir := written(t, map[string]string{"netmaster.yaml": "log-level: X\nhost-name: a\n"})
	p := newSample(io.Discard)
	if err := p.Parse([]string{"--config-dir", dir, "--host-name=b"}, nil); err != nil {
		t.Fatal(err)
	}
	all := All(func() error { return errors.New("--log-level X: it is wrong") }, func() error { return nil }, func() error { return errors.New("--host-name: it is wrong") }, func() error { return ErrAbsent })
	want := "--log-level X: it is wrong (log-level: " + dir + "/netmaster.yaml:1)\n--host-name: it is wrong\n" + ErrAbsent.Error()
	if err := p.Explain(all); err.Error() != want || ExitCode(err) != ExitConfig {
		t.Errorf("want %q, got %q with %d", want, err, ExitCode(err))
	}
	if code := ExitCode(errors.Join(ErrAbsent, ErrAbsent)); code != 1 {
		t.Errorf("only absent: got %d, want 1", code)
	}
	if err := p.Explain(nil); err != nil {
		t.Error(err)
	}
}

// The printed YAML is a configuration file with the same values, whose comments have the origins.
func TestPrint(t *testing.T) {
	var out bytes.Buffer
	dir := written(t, map[string]string{"netmaster.yaml": "log-level: DEBUG\nhost-name: http://u:secret@x/\nclosed-ports: [a, \"5\"]\n", "conf.d/a.yaml": "netmaster:\n  host-name: \"on\"\n"})
	env := Env{"CONTIV_NETMASTER_MAX_AGENTS=7"}
	if err := newSample(&out).Parse([]string{"--config-dir", dir, "--print-config=yaml", "--quiet"}, env); !errors.Is(err, ErrHelp) {
		t.Fatalf("want ErrHelp, got %v", err)
	}
	want := `closed-ports: [a, "5"] # DIR/netmaster.yaml:3
host-name: "on" # DIR/conf.d/a.yaml:2; overrides DIR/netmaster.yaml:2
log-level: DEBUG # DIR/netmaster.yaml:1
max-agents: 7 # environment CONTIV_NETMASTER_MAX_AGENTS
quiet: true # flag
`
	if got := strings.ReplaceAll(out.String(), dir, "DIR"); got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
	p := newSample(io.Discard)
	if err := p.Parse([]string{"--config-dir=", "--config", filepath.Join(written(t, map[string]string{"x": out.String()}), "x")}, nil); err != nil || p.max != 7 || !p.quiet || p.name != "on" {
		t.Errorf("the printed file: got %+v, %v", p, err)
	}
	out.Reset()
	if err := newSample(&out).Parse([]string{"--config-dir", dir, "--print-config=json"}, env); !errors.Is(err, ErrHelp) {
		t.Fatal(err)
	}
	var got []Setting
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got) != 5 || got[3].Key != "max-agents" || got[3].Text() != "7" || got[3].Origin.Layer != LayerEnvironment || got[0].Text() != "a,5" {
		t.Errorf("JSON: got %+v, %v", got, err)
	}
	if !strings.Contains(out.String(), `"layer": "environment"`) {
		t.Errorf("JSON: want the layer, got %s", &out)
	}
}

// A password in a URL is not printed.
func TestRedacted(t *testing.T) {
	var out bytes.Buffer
	args := []string{"--config-dir=", "--print-config=yaml", "--host-name=http://u:secret@x/", "--closed-ports=http://u:secret@x/,b"}
	if err := newSample(&out).Parse(args, nil); !errors.Is(err, ErrHelp) || strings.Contains(out.String(), "secret") || strings.Count(out.String(), "xxxxx") != 2 {
		t.Errorf("got %v, %s", err, &out)
	}
}

// With errors, the settings that can be read are printed, and the errors returned.
func TestPrint_Errors(t *testing.T) {
	var out bytes.Buffer
	dir := written(t, map[string]string{"netmaster.yaml": "log-level: DEBUG\nx: y\n"})
	err := newSample(&out).Parse([]string{"--config-dir", dir, "--print-config=yaml"}, nil)
	if err == nil || errors.Is(err, ErrHelp) || !strings.Contains(err.Error(), ":2: unknown key x") || !strings.Contains(out.String(), "log-level: DEBUG") {
		t.Errorf("got %v, %s", err, &out)
	}
}

func TestSchema(t *testing.T) {
	var out bytes.Buffer
	if err := newSample(&out).Parse([]string{"--config-schema"}, nil); !errors.Is(err, ErrHelp) {
		t.Fatal(err)
	}
	var got struct {
		Additional *bool `json:"additionalProperties"`
		Properties map[string]struct {
			Type        string
			Default     any
			Description string
			Deprecated  bool
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Additional == nil || *got.Additional || len(got.Properties) != 6 || got.Properties["max-agents"].Type != "integer" || got.Properties["max-agents"].Default != 10.0 ||
		got.Properties["quiet"].Type != "boolean" || got.Properties["closed-ports"].Type != "array" || !got.Properties["loglevel"].Deprecated || got.Properties["log-level"].Description != "least severe messages" {
		t.Errorf("got %s", &out)
	}
}

// A process reads its files again: those with which it was started, and new ones; its own environment stays.
func TestReparse(t *testing.T) {
	const host, own = "host/netmaster.env", "netmaster.env"
	dir := written(t, map[string]string{host: "CONTIV_NETMASTER_LOG_LEVEL=INFO\nCONTIV_NETMASTER_HOST=h\n"})
	env := Env{"CONTIV_NETMASTER_LOG_LEVEL=INFO", "CONTIV_NETMASTER_HOST=h", "CONTIV_NETMASTER_MAX_AGENTS=5"}
	args := []string{"--config-dir", dir}
	first := newSample(io.Discard)
	if err := first.Parse(args, env); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(host, "CONTIV_NETMASTER_LOG_LEVEL=WARN\nCONTIV_NETMASTER_HOST=h\n")
	put(own, "CONTIV_NETMASTER_HOST=g\n")
	put("netmaster.yaml", "max-agents: 6\nquiet: true\n")
	next := newSample(io.Discard)
	if err := first.Reparse(next.Set, args); err != nil {
		t.Fatal(err)
	}
	if next.level != "WARN" || next.name != "g" || next.max != 5 || !next.quiet {
		t.Errorf("got %+v", next)
	}
	put("netmaster.yaml", "quite: true\n")
	if err := next.Reparse(newSample(io.Discard).Set, args); err == nil || !strings.Contains(err.Error(), "netmaster.yaml:1: unknown key quite: did you mean quiet?") {
		t.Errorf("got %v", err)
	}
}

// Reading ends for every file, errors have its path, and an accepted file is printed as one with the same values.
func FuzzFile(f *testing.F) {
	for _, text := range []string{"log-level: DEBUG\n", "closed-ports: [a, 5]\nquiet: true\n", "max-agents: 0b11\n", "host-name: |\n  a\n  b\n", "x: y\n", "- a\n", "host-name: \"\\u2028#\"\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := written(t, map[string]string{"netmaster.yaml": text})
		p := newSample(io.Discard)
		if err := p.Parse([]string{"--config-dir", dir}, nil); err != nil {
			for _, one := range joined(err) {
				var where *configfile.Problem
				if !errors.As(one, &where) || where.Line < 1 {
					t.Errorf("an error without its line: %v", one)
				}
			}
			return
		}
		var out bytes.Buffer
		if err := newSample(&out).Parse([]string{"--config-dir", dir, "--print-config=yaml"}, nil); !errors.Is(err, ErrHelp) {
			t.Fatal(err)
		}
		var printed map[string]any
		if err := yaml.Unmarshal(out.Bytes(), &printed); err != nil {
			t.Errorf("%v in %s", err, &out)
		}
		if p.name == redacted(p.name) && printed["host-name"] != p.name || printed["max-agents"] != p.max || printed["quiet"] != p.quiet {
			t.Errorf("want %q, %d, %v, got %v", p.name, p.max, p.quiet, printed)
		}
	})
}
