// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/setup/preflight"
)

// The output for programs has the documented fields, and the worst state of all checks.
func TestPreflightPrint(t *testing.T) {
	results := []preflight.Result{
		{Check: "account", State: preflight.OK, Summary: "root"},
		{Check: "peer", State: preflight.Unknown, Summary: "not tried", Remedy: "run it"},
		{Check: "reverse-path", State: preflight.Warning, Summary: "strict", Remedy: "sysctl -w a=2", Fix: &preflight.Fix{Setting: "a", Value: "2"}},
		{Check: "datapath", State: preflight.Warning, Summary: "not loaded", Remedy: "modprobe m", Fix: &preflight.Fix{Module: "m"}},
		{Check: "packet-filter", State: preflight.Error, Summary: `dropped by "x"`, Remedy: "nft <insert>"},
	}
	for count, want := range map[int]string{0: "ok", 1: "ok", 2: "unknown", 3: "warning", 5: "error"} {
		var out bytes.Buffer
		o := preflightOptions{output: "json"}
		err := o.print(&out, "h1", results[:count])
		if (err != nil) != (want == "error") {
			t.Errorf("%d results: got the error %v", count, err)
		}
		var got preflightReport
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Host != "h1" || string(got.State) != want {
			t.Errorf("%d results: got %s, %v, want state %s", count, &out, err, want)
		}
	}
	var out bytes.Buffer
	o := preflightOptions{output: "json"}
	_ = o.print(&out, "h1", results[4:])
	const document = "{\n  \"host\": \"h1\",\n  \"state\": \"error\",\n  \"checks\": [\n    {\n      \"check\": \"packet-filter\",\n      \"state\": \"error\",\n      \"summary\": \"dropped by \\\"x\\\"\",\n      \"remedy\": \"nft <insert>\"\n    }\n  ]\n}\n"
	if out.String() != document {
		t.Errorf("got %s, want %s", &out, document)
	}
	out.Reset()
	o.output = "table"
	_ = o.print(&out, "h1", results[3:])
	const table = "State    Check          Summary\nwarning  datapath       not loaded\n                          modprobe m\nerror    packet-filter  dropped by \"x\"\n                          nft <insert>\n"
	if out.String() != table {
		t.Errorf("got\n%swant\n%s", &out, table)
	}
	if got, want := fixes(results), []setup.Fix{{Setting: "a", Value: "2"}, {Module: "m"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("fixes: got %v, want %v", got, want)
	}
}

func TestPreflightFlags(t *testing.T) {
	for line, want := range map[string]string{
		"--output yaml":                     "--output: got yaml",
		"--netmode gre":                     "--netmode: got gre",
		"--listen --fix":                    "--listen excludes",
		"--join x@192.0.2.1":                "it is not a token",
		"--peer 192.0.2.1:9999":             "--peer: got",
		"--private-subnet 172.19.0.0":       "--private-subnet",
		"--address 192.0.2.1 --peer a@b@c:": "--peer",
	} {
		cmd := newPreflight()
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SilenceUsage = true
		cmd.SetArgs(append([]string{"--root", t.TempDir()}, strings.Fields(line)...))
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", line, err, want)
		}
	}
}
