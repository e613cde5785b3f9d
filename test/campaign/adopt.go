// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/contiv/contiv/api/model"
)

// decideAfter is how long a conflict of a restored store stays before it is decided: it ends by itself when the endpoint that holds the
// address does not run any more.
const decideAfter = 30 * time.Second

// decide decides, as an operator does, what a restored store has contradicted. That two containers that run have one address is a finding.
func (c *cluster) decide(ctx context.Context) error {
	list, err := c.api.Adoptions(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	have, err := c.lab.Containers()
	if err != nil {
		return err
	}
	running := map[string]string{} // names of containers, by the ids of their endpoints
	for _, x := range have {
		running[fmt.Sprintf("%s:%s:lab-%s", x.Tenant, x.Network, x.Name)] = x.Name
	}
	for _, a := range list {
		if a.Holder != "" && running[a.Holder] != "" && running[a.Name] != "" && a.Holder != a.Name {
			c.found("%s is of %s and of %s, which both run: %s", a.Address, a.Name, a.Holder, a.Reason)
		}
		if time.Since(a.Since) < decideAfter {
			continue
		}
		_, err := c.api.DecideAdoption(ctx, model.AdoptionDecision{Name: a.Name, Accept: true})
		c.say("  adopt accept %s (%s): %v", a.Name, a.Reason, err)
		name := running[a.Name]
		if err != nil && name != "" { // its network is another one: the container begins again
			c.leaving[name] = true
			if err := c.end(ctx, name); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("%d endpoints contradict the store, the first: %s: %s", len(list), list[0].Name, list[0].Reason)
}
