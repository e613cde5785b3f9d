package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/test/bench/stand"
)

// rulesMeasured is how many rules are made, one after the other.
const rulesMeasured = 300

// tenantOfRules is the tenant whose group gets them; ofnettest.Many makes it.
const tenantOfRules, groupOfRules = "t", "g:t"

// ruleChanges makes rules on a switch that already carries a State, and returns how long each took until it was past the
// barrier: translated, compiled with its tier, and with it the tenant's new generation, in one bundle.
func ruleChanges(tb *stand.Stand, mgmt string, from *ofnet.State) (each []time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	r := bridge.NewReconciler(from.Self, pipeline.Default(), bridge.NewOpenFlow(mgmt, openflow.Options{}), bridge.Options{})
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- r.Run(running) }()
	r.Update(1, func(s *ofnet.State) []ofnet.Key {
		s.Local, s.Hosts, s.Tenants, s.Segments, s.Groups, s.Endpoints = from.Local, from.Hosts, from.Tenants, from.Segments, from.Groups, from.Endpoints
		return nil
	})
	err := r.Wait(ctx, 1)
	for i := range rulesMeasured {
		if err != nil {
			break
		}
		port := uint16(1000 + i)
		rule := &ofnet.Rule{ID: fmt.Sprintf("r%d", i), Tenant: tenantOfRules, Group: groupOfRules, Direction: ofnet.In, Priority: uint8(i%ofnet.PriorityMost + 1),
			Protocol: ofnet.ProtocolTCP, Ports: []ofnet.PortRange{{First: port, Last: port}}, Deny: i%2 == 0}
		begin := time.Now()
		r.Update(uint64(2+i), func(s *ofnet.State) []ofnet.Key {
			s.Rules[rule.ID] = rule
			return []ofnet.Key{rule.Key()}
		})
		err = r.Wait(ctx, uint64(2+i))
		each = append(each, time.Since(begin))
	}
	stop()
	if err := errors.Join(err, <-done); err != nil {
		tb.Fatalf("rules: %v", err)
	}
	return each
}
