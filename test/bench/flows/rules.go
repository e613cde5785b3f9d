// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/test/bench/harness"
)

// rulesMeasured is how many rules are made, one after the other.
const rulesMeasured = 300

// groupOfRules is the group that gets them; ofnettest.Many makes it.
const groupOfRules = "t:g"

// ruleTimes are what rules took, made one after the other until each was past the barrier.
type ruleTimes struct {
	each       []time.Duration
	meanwhile  []time.Duration // while the switch was compared once more
	comparison time.Duration   // the whole of it
}

// ruleChanges makes rules on a switch that already carries a State. Each is translated, compiled with its tier, and with it the
// tenant's new generation, in one bundle.
func ruleChanges(tb *harness.Stand, mgmt string, from *ofnet.State) (times ruleTimes) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	r := bridge.NewReconciler(from.Self, pipeline.Default(), bridge.NewOpenFlow(mgmt, openflow.Options{}), bridge.Options{})
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- r.Run(running) }()
	r.Update(1, func(s *ofnet.State) { *s = *from.Clone() })
	made := 0
	change := func() (time.Duration, error) {
		rev, port := uint64(2+made), uint16(1000+made)
		rule := &ofnet.Rule{ID: ofnettest.RuleID(groupOfRules, fmt.Sprintf("r%d", made)), Direction: ofnet.In, Priority: uint8(made%ofnet.MaxPriority + 1),
			Protocol: ofnet.ProtocolTCP, Ports: []ofnet.PortRange{{First: port, Last: port}}, Deny: made%2 == 0}
		made++
		begin := time.Now()
		r.Update(rev, func(s *ofnet.State) { ofnettest.SetRule(s, groupOfRules, rule) })
		err := r.Wait(ctx, rev)
		return time.Since(begin), err
	}
	err := r.Wait(ctx, 1)
	for err == nil && made < rulesMeasured {
		var took time.Duration
		took, err = change()
		times.each = append(times.each, took)
	}
	compared := make(chan error, 1)
	begin := time.Now()
	go func() {
		failed := r.Repair(ctx)
		times.comparison = time.Since(begin)
		compared <- failed
	}()
	for over := false; err == nil && !over; {
		var took time.Duration
		took, err = change()
		times.meanwhile = append(times.meanwhile, took)
		select {
		case failed := <-compared:
			err, over = errors.Join(err, failed), true
		default:
		}
	}
	stop()
	if err := errors.Join(err, <-done); err != nil {
		tb.Fatalf("rules: %v", err)
	}
	return times
}
