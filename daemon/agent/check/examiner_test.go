// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/api/model"
)

// code returns a code that another version may report.
func code(text string) (c model.FindingCode) {
	_ = c.UnmarshalText([]byte(text)) // takes any text
	return c
}

func finding(name, object string) model.Finding {
	return model.Finding{Code: code(name), Severity: model.SeverityError, Object: object}
}

// looks returns a check that returns one list after the other, and the last one repeatedly.
func looks(lists ...[]model.Finding) Check {
	var calls atomic.Int32
	return Check{Name: "things", Interval: 10 * time.Second, Look: func(context.Context) []model.Finding {
		return slices.Clone(lists[min(int(calls.Add(1)), len(lists))-1])
	}}
}

func codes(list []model.Finding) (out []string) {
	for _, f := range list {
		out = append(out, f.Code.String()+" "+f.Object+" "+f.Host)
	}
	return out
}

func TestNow(t *testing.T) {
	a, b := finding("a", "endpoint/x"), finding("b", "endpoint/y")
	warning := model.Finding{Code: code("aa"), Severity: model.SeverityWarning, Object: "host/h1"}
	for _, row := range []struct {
		name   string
		checks []Check
		want   []string
	}{
		{"nothing is wrong", []Check{looks(nil)}, nil},
		{"findings of two looks are reported, the worst first", []Check{looks([]model.Finding{warning, b, a})}, []string{"a endpoint/x h1", "b endpoint/y h1", "aa host/h1 h1"}},
		{"a finding of only the first look is not", []Check{looks([]model.Finding{a, b}, []model.Finding{b})}, []string{"b endpoint/y h1"}},
		{"a finding of only the second look waits for the next", []Check{looks([]model.Finding{a}, []model.Finding{a, b})}, []string{"a endpoint/x h1"}},
		{"a check that does not end", []Check{looks([]model.Finding{a}), {Name: "deaf", Interval: time.Second, Look: func(context.Context) []model.Finding {
			<-time.After(time.Minute)
			return nil
		}}}, []string{"a endpoint/x h1", "check-silent check/deaf h1"}},
		{"a check that ends when it must", []Check{{Name: "slow", Interval: time.Second, Look: func(ctx context.Context) []model.Finding {
			<-ctx.Done()
			return []model.Finding{b}
		}}}, []string{"b endpoint/y h1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				defer time.Sleep(time.Minute) // until the deaf one ends
				e := New(Options{Host: "h1", Checks: row.checks, Now: time.Now})
				began := time.Now()
				if got := codes(e.Now(t.Context())); !slices.Equal(got, row.want) {
					t.Errorf("want %q, got %q", row.want, got)
				}
				if took := time.Since(began); took > Limit+confirm {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// A check runs at its interval, and each finding has the time of its first detection until it ends.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wrong atomic.Bool
		var calls atomic.Int32
		e := New(Options{Host: "h1", Now: time.Now, Checks: []Check{{Name: "things", Interval: 10 * time.Second, Look: func(context.Context) []model.Finding {
			calls.Add(1)
			if !wrong.Load() {
				return nil
			}
			return []model.Finding{finding("a", "endpoint/x")}
		}}}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- e.Run(ctx) }()
		time.Sleep(time.Minute)
		if n := calls.Load(); n < 5 || n > 7 {
			t.Errorf("want about 6 looks a minute, got %d", n)
		}
		wrong.Store(true)
		time.Sleep(12 * time.Second)
		first := e.Findings()
		time.Sleep(30 * time.Second)
		later := e.Findings()
		if len(first) != 1 || len(later) != 1 || first[0].Since == "" || first[0].Since != later[0].Since {
			t.Errorf("want the same finding, got %v and %v", first, later)
		}
		wrong.Store(false)
		time.Sleep(12 * time.Second)
		if got := e.Findings(); len(got) != 0 {
			t.Errorf("want nothing, got %v", got)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A request for findings calls the function Asked of a check; periodic runs do not.
func TestNow_Asked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := looks(nil)
		c.Asked = looks([]model.Finding{finding("a", "endpoint/x")}).Look
		e := New(Options{Host: "h1", Now: time.Now, Checks: []Check{c}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := e.Run(ctx); err != nil || len(e.Findings()) != 0 {
			t.Errorf("by itself: want nothing, got %v, %v", e.Findings(), err)
		}
		if got := codes(e.Now(t.Context())); !slices.Equal(got, []string{"a endpoint/x h1"}) {
			t.Errorf("asked: got %q", got)
		}
	})
}

func TestMany(t *testing.T) {
	var list []model.Finding
	for i := range 130 {
		list = append(list, finding("a", fmt.Sprintf("endpoint/%03d", i)))
	}
	synctest.Test(t, func(t *testing.T) {
		got := New(Options{Host: "h1", Checks: []Check{looks(list)}, Now: time.Now}).Now(t.Context())
		if len(got) != maxFindings+1 || got[maxFindings].Code != model.FindingFindingsMore || got[maxFindings].Evidence != "30 findings more on this host" {
			t.Errorf("got %d, the last one %+v", len(got), got[len(got)-1])
		}
	})
}
