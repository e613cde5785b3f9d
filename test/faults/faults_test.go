// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

var update = flag.Bool("update", false, "update docs/dev/faults.md")

// leastFaults is the number of faults that the table has at least.
const leastFaults = 60

func table(t *testing.T) ([]Stage, []Covered) {
	t.Helper()
	stages, covered, err := LoadTable()
	if err != nil {
		t.Fatal(err)
	}
	return stages, covered
}

// The table has enough faults that have to be named, every fault is repaired, and tests that cover others exist.
func TestTable(t *testing.T) {
	stages, covered := table(t)
	named := 0
	for _, s := range stages {
		for i := range s.Faults {
			f := &s.Faults[i]
			if !f.quiet() {
				named++
			}
			if f.Repair == "" && !f.quiet() && !strings.Contains(f.First, "changed-by-others") && !strings.Contains(f.First, "address-conflict") {
				t.Errorf("%s is not repaired", f.Name)
			}
		}
	}
	if named < leastFaults {
		t.Errorf("got %d faults that have to be named, want at least %d", named, leastFaults)
	}
	codes := map[string]bool{}
	for _, info := range model.FindingCodes() {
		codes[info.Code.String()] = true
	}
	for _, c := range covered {
		file, name, _ := strings.Cut(c.By, " ")
		if info, err := os.Stat("../../" + file); err != nil {
			t.Errorf("%s: %v", c.What, err)
		} else if text, _ := os.ReadFile("../../" + file); !info.IsDir() && name != "" && !bytes.Contains(text, []byte("func "+name+"(")) {
			t.Errorf("%s: %s has no test %s", c.What, file, name)
		}
		for _, code := range strings.Split(c.Code, ", ") {
			if !codes[code] {
				t.Errorf("%s: %s is no code of a finding", c.What, code)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	whole := Fault{Name: "a", What: "it breaks", Inject: "true", First: "switch-silent host/$A"}
	for _, row := range []struct {
		name   string
		change func(*Fault)
		want   string
	}{
		{"whole", func(*Fault) {}, ""},
		{"no script", func(f *Fault) { f.Inject = "" }, "are required"},
		{"a wrong code", func(f *Fault) { f.First = "switch-loud host/$A" }, "switch-loud, which is no code"},
		{"a wrong code beside", func(f *Fault) { f.Beside = []string{"(switch-silent|no-such) host/x"} }, "no-such, which is no code"},
		{"a wrong pattern", func(f *Fault) { f.First = "switch-silent (" }, "missing closing"},
		{"a wrong need", func(f *Fault) { f.Needs = "gold" }, "want userspace"},
	} {
		f := whole
		row.change(&f)
		err := check([]Stage{{Faults: []Fault{f}}})
		if got := fmt.Sprint(err); (err == nil) != (row.want == "") || !strings.Contains(got, row.want) {
			t.Errorf("%s: got %v, want %q", row.name, err, row.want)
		}
	}
	if err := check([]Stage{{Faults: []Fault{whole}}, {Faults: []Fault{whole}}}); err == nil {
		t.Error("a fault that is there twice passes")
	}
}

func labHosts() []lab.HostInfo {
	return []lab.HostInfo{{Name: "h1", IP: "10.254.7.1", VTEP: "192.168.251.1"}, {Name: "h2", IP: "10.254.7.2", VTEP: "192.168.251.2"}, {Name: "h3", IP: "10.254.7.3", VTEP: "192.168.251.3"}}
}

func finding(code model.FindingCode, severity model.Severity, host, object string, cause ...model.Finding) model.Finding {
	f := model.Finding{Code: code, Severity: severity, Host: host, Object: object}
	if len(cause) > 0 {
		ref := cause[0].Ref()
		f.CausedBy = &ref
	}
	return f
}

func TestJudge(t *testing.T) {
	all := places(labHosts()) // $A of the first is h2
	vtep := expectation{&Fault{Name: "vtep", First: "vtep-missing host/$A"}, all[0]}
	master := expectation{&Fault{Name: "master", First: "master-silent master/$B_IP", Beside: []string{"agent-unknown host/.*"}}, all[0]}
	none := expectation{&Fault{Name: "none"}, all[0]}
	denied := expectation{&Fault{Name: "deny", First: "rule-refuses rule/x on $A"}, all[0]}
	missing := finding(model.FindingVTEPMissing, model.SeverityError, "", "host/h2")
	blocked := finding(model.FindingTunnelBlocked, model.SeverityError, "h1", "host/h2", missing)
	alone := finding(model.FindingTunnelBlocked, model.SeverityError, "h1", "host/h2")
	silent := finding(model.FindingMasterSilent, model.SeverityWarning, "", "master/10.254.7.3")
	unknown := finding(model.FindingAgentUnknown, model.SeverityUnknown, "", "host/h1")
	unsent := expectation{&Fault{Name: "unsent", First: "alerts-unsent receiver/x", Also: []string{"vtep-missing host/$A"}}, all[0]}
	alerts := finding(model.FindingAlertsUnsent, model.SeverityWarning, "", "receiver/x")
	refuses := finding(model.FindingRuleRefuses, model.SeverityInfo, "h2", "rule/x")
	for _, row := range []struct {
		name     string
		list     []model.Finding
		expected []expectation
		want     string
	}{
		{"named", []model.Finding{missing, blocked, refuses}, []expectation{vtep}, ""},
		{"not named", []model.Finding{refuses}, []expectation{vtep}, "vtep (h2) is not named"},
		{"second", []model.Finding{alone, missing}, []expectation{vtep}, "vtep (h2) is number 2, after tunnel-blocked host/h2 on h1; beside it: error tunnel-blocked host/h2 on h1: "},
		{"a symptom beside it", []model.Finding{missing, alone}, []expectation{vtep}, "beside it: error tunnel-blocked host/h2 on h1: "},
		{"only explained", []model.Finding{silent, finding(model.FindingVTEPMissing, model.SeverityError, "", "host/h2", silent)}, []expectation{vtep},
			"vtep (h2) is not named; beside it: warning master-silent master/10.254.7.3: "},
		{"both", []model.Finding{missing, silent, unknown, blocked}, []expectation{master, vtep}, ""},
		{"one of two", []model.Finding{missing, blocked}, []expectation{master, vtep}, "master (h2) is not named"},
		{"nothing", nil, []expectation{none}, ""},
		{"something", []model.Finding{silent}, []expectation{none}, "beside it: warning master-silent master/10.254.7.3: "},
		{"a note", []model.Finding{refuses}, []expectation{denied}, ""},
		{"provoked", []model.Finding{missing, alerts}, []expectation{unsent}, ""},
		{"provoked, with another before it", []model.Finding{missing, silent, alerts}, []expectation{unsent},
			"unsent (h2) is number 2, after master-silent master/10.254.7.3; beside it: warning master-silent master/10.254.7.3: "},
		{"no note", nil, []expectation{denied}, "deny (h2) is not named"},
	} {
		if got := judge(row.list, row.expected...); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
	if got := remains([]model.Finding{refuses}, vtep); got != "" {
		t.Errorf("a note remains: got %q, want nothing", got)
	}
	if got, want := remains([]model.Finding{refuses, blocked}, denied), "note rule-refuses rule/x on h2: ; error tunnel-blocked host/h2 on h1:  (because of vtep-missing host/h2)"; got != want {
		t.Errorf("remains: got %q, want %q", got, want)
	}
}

// Pairs break nothing in common, are the same for a seed, and differ between seeds.
func TestPairs(t *testing.T) {
	stages, _ := table(t)
	var faults []*Fault
	for i := range stages[0].Faults {
		faults = append(faults, &stages[0].Faults[i])
	}
	of := func(seed uint64) (names []string) {
		pairs := choosePairs(faults, labHosts(), 60, seed)
		for _, p := range pairs {
			names = append(names, fmt.Sprintf("%s + %s", p[0], p[1]))
			if !apart(p[0], p[1]) || p[0].fault == p[1].fault || p[0].fault.Unpaired || p[0].fault.quiet() {
				t.Errorf("seed %d: %s and %s are no pair", seed, p[0], p[1])
			}
		}
		return names
	}
	first := of(7)
	if len(first) != 60 {
		t.Errorf("got %d pairs, want 60", len(first))
	}
	if again := of(7); !reflect.DeepEqual(first, again) {
		t.Errorf("the same seed: got %v, want %v", again, first)
	}
	if other := of(8); reflect.DeepEqual(first, other) {
		t.Error("another seed chooses the same pairs")
	}
	if got := choosePairs(faults[:1], labHosts(), 5, 1); got != nil {
		t.Errorf("pairs of one fault: got %v, want none", got)
	}
}

func TestPage(t *testing.T) {
	const page = "../../docs/dev/faults.md"
	want := Page(table(t))
	if *update {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(page); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not up to date (%v): run make generate and commit the result", page, err)
	}
}

// The page for operators without a clue is a tree of decisions that begins with netctl status, and leads to doctor, why and drift.
func TestTroubleshoot(t *testing.T) {
	text, err := os.ReadFile("../../docs/how-to/troubleshoot.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tree, _ := strings.Cut(string(text), "\n\n")
	if !strings.HasPrefix(tree, "Start with `netctl status`.\n\n1. ") {
		t.Errorf("the page begins with %.60q, want netctl status and a first step", tree)
	}
	at := 0
	for _, command := range []string{"netctl status", "netctl explain", "netctl doctor", "netctl why", "netctl drift", "netctl capture", "netctl support-bundle"} {
		next := strings.Index(tree[at:], "`"+command)
		if bare := strings.Index(tree[at:], "["+command+"]"); next < 0 || bare >= 0 && bare < next {
			next = bare
		}
		if next < 0 {
			t.Fatalf("%s does not come after the step before it", command)
		}
		at += next
	}
}
