// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// manyNetworks returns a tenant after its n networks, where network number bad has an invalid subnet; -1: none has.
func manyNetworks(n, bad int) string {
	var b strings.Builder
	for i := range n {
		subnet := fmt.Sprintf("10.%d.%d.0/24", i/256, i%256)
		if i == bad {
			subnet = "nonsense"
		}
		fmt.Fprintf(&b, `{"kind":"network","tenantName":"many","networkName":"n%05d","encap":"vxlan","subnet":%q},`, i, subnet)
	}
	return "[" + b.String() + `{"kind":"tenant","tenantName":"many"}]`
}

// A manifest that exceeds one transaction is applied in several, in the order of dependencies. A refusal lists exactly the applied and the
// missing objects, and a repetition applies the rest.
func TestApplyInPortions(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	run := func(in, line string) result {
		t.Helper()
		return netctlFed(t, context.Background(), m.URL, in, strings.Fields(line)...)
	}
	before := m.Commit.Stats().Transactions.Load()
	got := run(manyNetworks(1_500, 1_000), "apply -f -")
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	created, not := strings.Count(got.out, " created\n"), strings.Count(got.out, " not applied\n")
	if got.code != 3 || created+not != 1_501 || len(lines) != 1_501 || lines[0] != "tenant many created" {
		t.Fatalf("want every object reported and exit 3, got %d with %d created and %d not, of %d lines, the first %q", got.code, created, not, len(lines), lines[0])
	}
	if created < 900 || created > 1_001 || !strings.Contains(got.out, "network many:n01000 not applied\n") {
		t.Errorf("want what comes before the refused portion created, got %d", created)
	}
	said := fmt.Sprintf("%d objects are applied, in", created)
	if !strings.Contains(got.err, said) || !strings.Contains(got.err, fmt.Sprintf("%d are not: network many:n01000: subnet string invalid format", not)) {
		t.Errorf("want the numbers and the reason, got %s", got.err)
	}
	if stored := strings.Count(run("", "network ls -t many -q").out, "\n"); stored != created-1 {
		t.Errorf("%d networks reported as created, %d are there", created-1, stored)
	}
	if n := m.Commit.Stats().Transactions.Load() - before; n > 20 {
		t.Errorf("want transactions of about 60 objects, got %d transactions", n)
	}
	got = run(manyNetworks(1_500, -1), "apply -f - --dry-run=server")
	if got.code != 0 || strings.Count(got.out, " created (dry run)\n") != not || strings.Count(got.out, " unchanged (dry run)\n") != created {
		t.Errorf("a dry run of all: exit %d, %d created, %d unchanged, %s", got.code, strings.Count(got.out, " created (dry run)\n"), strings.Count(got.out, " unchanged (dry run)\n"), got.err)
	}
	got = run(manyNetworks(1_500, -1), "apply -f -")
	if got.code != 0 || strings.Count(got.out, " unchanged\n") != created || strings.Count(got.out, " created\n") != not {
		t.Errorf("the repetition: exit %d, %d unchanged, %s", got.code, strings.Count(got.out, " unchanged\n"), got.err)
	}
	got = run(manyNetworks(1_500, -1), "delete -f -")
	if got.code != 0 || strings.Count(got.out, " deleted\n") != 1_501 || !strings.HasSuffix(got.out, "tenant many deleted\n") {
		t.Errorf("deletion: exit %d, %d deleted, %s", got.code, strings.Count(got.out, " deleted\n"), got.err)
	}
}

// A manifest with an error that is known in advance changes nothing, and a duplicate object is found across portions.
func TestApplyRefusedWhole(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	tests := []struct {
		name, in string
		code     int
		text     string
	}{
		{"few", manyNetworks(20, 10), 3, "network many:n00010"},
		{"many, the first portion", manyNetworks(500, 3), 3, "network many:n00003"},
		{"twice, of many", strings.TrimSuffix(manyNetworks(500, -1), "]") + `,{"kind":"network","tenantName":"many","networkName":"n00007","encap":"vlan","subnet":"10.0.0.0/24"}]`, 1, "duplicate network many:n00007"},
		{"an unknown kind, of many", strings.Replace(manyNetworks(500, -1), `"kind":"tenant"`, `"kind":"tent"`, 1), 1, "tent"},
	}
	for _, test := range tests {
		got := netctlFed(t, context.Background(), m.URL, test.in, "apply", "-f", "-")
		if got.code != test.code || !strings.Contains(got.err, test.text) || strings.Contains(got.out, "created") {
			t.Errorf("%s: want exit %d with %q and nothing applied, got %d\n%s\n%s", test.name, test.code, test.text, got.code, got.err, got.out)
		}
	}
	if out := netctl(t, context.Background(), m.URL, "tenant", "ls", "-q").out; out != "default\n" {
		t.Errorf("nothing may be applied, got\n%s", out)
	}
}
