// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

const (
	// Limit bounds one look of a check, and an answer of Now.
	Limit = 2 * time.Second
	// confirm is the time after which a check with a new finding runs again: changes in progress are complete by then.
	confirm = 400 * time.Millisecond
	// maxFindings is the maximum number of listed findings.
	maxFindings = 100
)

// Options are what an Examiner needs.
type Options struct {
	Host   string // label, that findings bear
	Checks []Check
	Now    func() time.Time
}

// Examiner runs checks and keeps what each found last. It is safe for concurrent use.
type Examiner struct {
	Options
	turns []chan struct{} // one look of a check at a time: each has room for one

	mu    sync.Mutex
	found [][]model.Finding // by check
}

// New returns an Examiner.
func New(o Options) *Examiner {
	e := &Examiner{Options: o, found: make([][]model.Finding, len(o.Checks))}
	for range o.Checks {
		e.turns = append(e.turns, make(chan struct{}, 1))
	}
	return e
}

// Run looks at each thing at its pace until ctx ends; then it returns nil.
func (e *Examiner) Run(ctx context.Context) error {
	var wait sync.WaitGroup
	for i := range e.Checks {
		wait.Go(func() { e.repeat(ctx, i) })
	}
	wait.Wait()
	return nil
}

// repeat runs one check, the first time within its pace, so that hosts and checks that start together do not look together.
func (e *Examiner) repeat(ctx context.Context, i int) {
	every := e.Checks[i].Interval
	for due := time.Duration(rand.Int64N(int64(every))); pause(ctx, due); due = every - every/10 + time.Duration(rand.Int64N(int64(every)/5+1)) {
		e.look(ctx, i, e.Checks[i].Look)
	}
}

// Now runs all checks at once and returns their findings. A check that does not answer within Limit is a finding too.
func (e *Examiner) Now(ctx context.Context) []model.Finding {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	done := make(chan int, len(e.Checks))
	for i := range e.Checks {
		go func() {
			e.look(ctx, i, e.Checks[i].asked())
			done <- i
		}()
	}
	waiting := map[int]bool{}
	for i := range e.Checks {
		waiting[i] = true
	}
	late := time.NewTimer(Limit + confirm/2) // those that heed ctx have answered by then
	defer late.Stop()
	for len(waiting) > 0 {
		select {
		case i := <-done:
			delete(waiting, i)
		case <-late.C:
			return e.list(waiting)
		}
	}
	return e.Findings()
}

// Findings are those of the last looks, the worst first; of many, the rest as a number.
func (e *Examiner) Findings() []model.Finding { return e.list(nil) }

// list returns Findings without the earlier findings of checks in silent.
func (e *Examiner) list(silent map[int]bool) []model.Finding {
	var out []model.Finding
	e.mu.Lock()
	for i, list := range e.found {
		if silent[i] {
			name := e.Checks[i].Name
			list = []model.Finding{{Code: model.FindingCheckSilent, Severity: model.SeverityUnknown, Host: e.Host, Object: "check/" + name,
				Evidence: fmt.Sprintf("the check of %s has not ended within %v", name, Limit), Remedy: "look at the load of the host, and at the agent's log"}}
		}
		out = append(out, list...)
	}
	e.mu.Unlock()
	model.SortFindings(out)
	if more := len(out) - maxFindings; more > 0 {
		worst := out[maxFindings].Severity
		out = append(out[:maxFindings:maxFindings], model.Finding{Code: model.FindingFindingsMore, Severity: worst, Host: e.Host, Object: "host/" + e.Host,
			Evidence: fmt.Sprintf("%d findings more on this host", more), Remedy: "put right what is named, and look again"})
	}
	return out
}

// look runs one check; if the check is already running, it waits for that result. A new finding must be found a second time.
func (e *Examiner) look(ctx context.Context, i int, look func(context.Context) []model.Finding) {
	select {
	case e.turns[i] <- struct{}{}:
		defer func() { <-e.turns[i] }()
	case <-ctx.Done():
		return
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	list := e.named(look(ctx))
	if took := time.Since(began); e.news(i, list) && took+confirm+took < Limit && pause(ctx, confirm) {
		seen := map[identity]bool{}
		for j := range list {
			seen[identityOf(&list[j])] = true
		}
		again := e.named(look(ctx))
		list = slices.DeleteFunc(again, func(f model.Finding) bool { return !seen[identityOf(&f)] })
	}
	e.keep(i, list)
}

// named fills in whose the findings are.
func (e *Examiner) named(list []model.Finding) []model.Finding {
	for i := range list {
		list[i].Host = cmp.Or(list[i].Host, e.Host)
	}
	return list
}

// news reports whether something in the list was not found before.
func (e *Examiner) news(i int, list []model.Finding) bool {
	since := e.since(i)
	return slices.ContainsFunc(list, func(f model.Finding) bool { return since[identityOf(&f)] == "" })
}

func (e *Examiner) since(i int) map[identity]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make(map[identity]string, len(e.found[i]))
	for j := range e.found[i] {
		out[identityOf(&e.found[i][j])] = e.found[i][j].Since
	}
	return out
}

// keep remembers what a check found, and since when each thing is so.
func (e *Examiner) keep(i int, list []model.Finding) {
	since, now := e.since(i), e.Options.Now().UTC().Format(time.RFC3339)
	for j := range list {
		list[j].Since = cmp.Or(since[identityOf(&list[j])], now)
	}
	e.mu.Lock()
	e.found[i] = list
	e.mu.Unlock()
}

// pause waits, and reports whether ctx continues.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
