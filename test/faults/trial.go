// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

const (
	lookPause  = 500 * time.Millisecond // between two looks
	lookLimit  = 8 * time.Second        // for an answer of doctor
	steadiness = 4 * time.Second        // for which findings have to be the expected ones
)

// userspace is the condition of faults that only Open vSwitch's datapath in user space has.
const userspace = "userspace"

// trials are those in one lab.
type trials struct {
	shell *shell
	out   io.Writer
	began time.Time
}

func (t *trials) report(format string, args ...any) {
	fmt.Fprintf(t.out, "%7.1fs  %s\n", time.Since(t.began).Seconds(), fmt.Sprintf(format, args...))
}

// able returns the faults that the lab can have.
func (t *trials) able(faults []*Fault) (out []*Fault) {
	for _, f := range faults {
		if f.Needs == userspace && t.shell.lab.Datapath != lab.DatapathNetdev {
			t.report("%-24s left out: it needs the datapath in user space", f.Name)
			continue
		}
		out = append(out, f)
	}
	return out
}

// errUnwell is the error of a trial after which its lab is of no use.
var errUnwell = errors.New("the lab does not recover")

// all tries lists of faults, each at the same time. It returns how many lists it has tried, and how many failed.
func (t *trials) all(ctx context.Context, lists [][]expectation) (tried, failed int, err error) {
	for _, list := range lists {
		passed, err := t.trial(ctx, list...)
		if tried++; !passed {
			failed++
		}
		if err != nil {
			return tried, failed, err
		}
	}
	return tried, failed, nil
}

// trial injects faults, expects their findings, repairs them, and expects nothing. An error ends all trials: the lab is not as it should be.
func (t *trials) trial(ctx context.Context, expected ...expectation) (passed bool, err error) {
	name, within, clears, brief := "", time.Duration(0), time.Duration(0), false
	for i, e := range expected {
		if i > 0 {
			name += " + "
		}
		name += e.String()
		within, clears, brief = max(within, e.fault.within()), max(clears, e.fault.clears()), brief || e.fault.Brief
	}
	if len(expected) > 1 {
		within += within / 2
	}
	passed = true
	fail := func(format string, args ...any) {
		passed = false
		t.report("FAIL %s: %s", name, fmt.Sprintf(format, args...))
	}
	for _, e := range expected {
		if err := t.shell.run(ctx, e.at, e.fault.Inject); err != nil {
			fail("inject: %v", err)
		}
	}
	injected := time.Now()
	first, wrong := time.Duration(0), ""
	if passed {
		if first, wrong = t.steady(ctx, within, brief, func(list []model.Finding) string { return judge(list, expected...) }); wrong != "" {
			fail("after %v: %s", time.Since(injected).Round(time.Second), wrong)
		}
	}
	for i := len(expected) - 1; i >= 0; i-- {
		if err := t.shell.run(ctx, expected[i].at, expected[i].fault.Repair); err != nil {
			fail("repair: %v", err)
		}
	}
	repaired := time.Now()
	if left := t.ends(ctx, clears, expected...); left != "" {
		fail("%v after the repair: %s", time.Since(repaired).Round(time.Second), left)
		if left = t.ends(ctx, 3*time.Minute, expected...); left != "" {
			return passed, fmt.Errorf("%s: %w: %s", name, errUnwell, left)
		}
	}
	if passed {
		t.report("ok   %-40s named after %.1fs, nothing left %.1fs after the repair", name, first.Seconds(), (time.Since(repaired) - steadiness).Seconds())
	}
	return passed, ctx.Err()
}

// ends waits until nothing is found, and returns what is found still.
func (t *trials) ends(ctx context.Context, within time.Duration, repaired ...expectation) string {
	_, left := t.steady(ctx, within, false, func(list []model.Finding) string { return remains(list, repaired...) })
	return left
}

// steady waits until the findings of doctor are right for a while, and those of status too: wrong returns what is wrong of them. It returns
// when they became right, and at the end of the time what was wrong last. With brief, they need not stay so.
func (t *trials) steady(ctx context.Context, within time.Duration, brief bool, wrong func([]model.Finding) string) (after time.Duration, last string) {
	begun, since := time.Now(), time.Time{}
	for {
		list, err := t.look(ctx, !since.IsZero() && time.Since(since) >= steadiness)
		switch {
		case err != nil:
			last = err.Error()
		default:
			last = wrong(list)
		}
		switch {
		case last != "":
			since = time.Time{}
		case brief:
			return time.Since(begun), ""
		case since.IsZero():
			since = time.Now()
		case time.Since(since) >= steadiness:
			return since.Sub(begun), ""
		}
		// Findings that became right in time may stay so longer.
		if ctx.Err() != nil || last != "" && time.Since(begun) > within {
			return 0, last
		}
		select {
		case <-ctx.Done():
		case <-time.After(lookPause):
		}
	}
}

// look returns the findings of netctl doctor, or of netctl status.
func (t *trials) look(ctx context.Context, status bool) ([]model.Finding, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	command := "doctor"
	if status {
		command = "status"
	}
	env, err := t.shell.lab.Environ() // each time: running netmasters come first
	if err != nil {
		return nil, err
	}
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(t.shell.lab.Bin, "netctl"), command, "-o", "json")
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errOut
	failed := cmd.Run() // findings make it fail, too
	var h model.Health
	if err := json.Unmarshal(out.Bytes(), &h); err != nil {
		return nil, fmt.Errorf("netctl %s: %w: %s", command, errors.Join(ctx.Err(), failed), bytes.TrimSpace(errOut.Bytes()))
	}
	return h.Findings, nil
}
