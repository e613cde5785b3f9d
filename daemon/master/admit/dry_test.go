// SPDX-License-Identifier: Apache-2.0

package admit_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/enginetest"
)

// rules are rules of one policy.
func rules(n int) (out []model.Object) {
	for i := range n {
		r := &model.Rule{TenantName: "default", PolicyName: "p", RuleId: fmt.Sprint(i), Priority: 1, Direction: "in", Protocol: "tcp", Port: 1 + i, Action: "allow"}
		r.SetKey(r.ObjectKey())
		r.SetDefaults()
		out = append(out, r)
	}
	return out
}

// The cost of a dry run of a policy's rules grows linearly with their number.
func TestDryRunOfRules(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "policy p", "network n subnet=10.1.1.0/24 encap=vxlan", "group g networkName=n policies=p")
	allocated := func(n int) uint64 {
		list := rules(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := w.Commit.Try(t.Context(), func(tx *commit.Tx) error {
			results, err := w.Admit.Apply(t.Context(), tx, list, admit.How{Dry: true})
			if err == nil && (len(results) != n || results[n-1].Affected == nil || results[n-1].Affected.Groups[0] != "default:g") {
				return fmt.Errorf("want %d rules that concern the group, got %+v", n, results)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(200), allocated(1600)
	if many > 16*few {
		t.Errorf("eight times as many rules: want about eight times the memory, got %d and %d bytes", few, many)
	}
}

// The computation ends with its client.
func TestApplyEndsWithItsRequest(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "policy p")
	ctx, end := context.WithCancelCause(t.Context())
	end(errors.New("the client has gone"))
	_, err := w.Commit.Try(t.Context(), func(tx *commit.Tx) error {
		_, err := w.Admit.Apply(ctx, tx, rules(2), admit.How{Dry: true})
		return err
	})
	if e := (*model.Error)(nil); !errors.As(err, &e) || e.Code != model.CodeUnavailable {
		t.Errorf("want the request ended, got %v", err)
	}
}
