// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/api/model"
)

// agent is what a host sends, line by line, each after a time.
type agent struct {
	lines []line
	err   error  // instead
	stays bool   // the answer does not end
	again *agent // what it is when it is asked the second time; nil: the same

	asked int
}

type line struct {
	after time.Duration
	event model.Observed // of no verdict: nothing new
}

// answer sends the lines.
func (a *agent) answer(ctx context.Context) (*http.Response, error) {
	if a.asked++; a.asked > 1 && a.again != nil {
		return a.again.answer(ctx)
	}
	if a.err != nil {
		return nil, a.err
	}
	r, w := io.Pipe()
	go func() {
		for _, l := range a.lines {
			select {
			case <-time.After(l.after):
			case <-ctx.Done():
			}
			text := []byte{}
			if l.event.Verdict != "" {
				text, _ = json.Marshal(l.event)
			}
			if _, err := w.Write(append(text, '\n')); err != nil {
				return
			}
		}
		if a.stays {
			<-ctx.Done()
		}
		_ = w.Close()
	}()
	return &http.Response{Body: r}, nil
}

// opened returns an event at a time in milliseconds.
func opened(ms int, reason string) model.Observed {
	return model.Observed{Time: time.UnixMilli(int64(ms)), Verdict: model.ObservedOpened, Tenant: "blue", Reason: reason}
}

// joined is what comes of agents within a time.
func joined(t *testing.T, ask model.Observe, within time.Duration, agents map[string]*agent) (got []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	hosts := func() []string {
		var out []string
		for host := range agents {
			out = append(out, host)
		}
		return out
	}
	j := newJoin(ask, hosts, func(ctx context.Context, host string, _ model.Observe) (*http.Response, error) {
		return agents[host].answer(ctx)
	})
	err := j.run(ctx, func(e *model.Observed) error {
		if e != nil {
			got = append(got, e.Host+" "+e.Reason)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return got
}

func TestJoin(t *testing.T) {
	untracked := model.Observed{Verdict: model.ObservedUnknown, Tenant: "quiet", Reason: "not tracked"}
	synctest.Test(t, func(t *testing.T) {
		got := joined(t, model.Observe{}, time.Minute, map[string]*agent{
			"h1": {lines: []line{{0, untracked}, {0, opened(1, "a")}, {0, opened(5, "d")}}},
			"h2": {lines: []line{{0, untracked}, {time.Second, opened(3, "b")}, {0, opened(4, "c")}}},
			"h3": {err: errors.New("no agent is there")},
		})
		if len(got) != 6 || !slices.Contains(got, "h3 host h3 did not answer: unknown what passes there (no agent is there)") || !slices.Contains(got, " not tracked") {
			t.Fatalf("got %q", got)
		}
		got = slices.DeleteFunc(got, func(s string) bool { return s == " not tracked" || s[:3] == "h3 " })
		if want := []string{"h1 a", "h2 b", "h2 c", "h1 d"}; !slices.Equal(got, want) {
			t.Errorf("want %q, got %q", want, got)
		}
	})
}

func TestJoinFollows(t *testing.T) {
	quiet := line{time.Second, model.Observed{}}
	for name, r := range map[string]struct {
		agents map[string]*agent
		want   []string
	}{
		"later than the window, so out of order": {map[string]*agent{
			"h1": {stays: true, lines: []line{quiet, {0, opened(5, "late")}, quiet, quiet}},
			"h2": {stays: true, lines: []line{{500 * time.Millisecond, model.Observed{}}, quiet, {1100 * time.Millisecond, opened(4, "later")}, quiet}}},
			[]string{"h1 late", "h2 later"}},
		"within the window, in order": {map[string]*agent{
			"h1": {stays: true, lines: []line{quiet, {0, opened(5, "second")}, quiet, quiet}},
			"h2": {stays: true, lines: []line{{900 * time.Millisecond, model.Observed{}}, {400 * time.Millisecond, opened(4, "first")}, quiet}}},
			[]string{"h2 first", "h1 second"}},
		"one falls silent": {map[string]*agent{
			"h1": {stays: true, lines: []line{{0, opened(1, "a")}}}},
			[]string{"h1 a", "h1 host h1 did not answer: unknown what passes there (it said nothing for 3s)"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := joined(t, model.Observe{Follow: true}, 4*time.Second, r.agents); !slices.Equal(got, r.want) {
					t.Errorf("want %q, got %q", r.want, got)
				}
			})
		})
	}
}

// An event reports that an agent answers again, and no event comes twice.
func TestAnswersAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := joined(t, model.Observe{Follow: true}, 4*time.Second, map[string]*agent{"h1": {lines: []line{{0, opened(1, "a")}},
			again: &agent{stays: true, lines: []line{{0, opened(1, "a")}, {0, opened(2, "b")}}}}})
		want := []string{"h1 a", "h1 host h1 did not answer: unknown what passes there (it ended the stream)", "h1 host h1 answers again", "h1 b"}
		if !slices.Equal(got, want) {
			t.Errorf("want %q, got %q", want, got)
		}
	})
}
