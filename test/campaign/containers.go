// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

// mostContainers is how many containers there are at a time.
const mostContainers = 24

var hosts = []string{"h1", "h2", "h3"}

// attach makes a container on any network, or in any group of it.
func (c *cluster) attach(ctx context.Context) (string, error) {
	have, err := c.lab.Containers()
	if err != nil || len(have) >= mostContainers {
		return "", err
	}
	o, err := c.any(ctx, model.KindNetwork())
	if o == nil {
		return "", err
	}
	n := o.(*model.Network)
	c.serial++
	// Containers are called lab-NAME by their runtime, so y of tenant t-lab and lab-y of tenant t meet.
	x := lab.Container{Name: fmt.Sprintf([]string{"y%d", "lab-y%d", "x-%d", "lab-lab-%d"}[c.rand.IntN(4)], c.serial/2), Host: hosts[c.rand.IntN(3)],
		Tenant: n.TenantName, Network: n.NetworkName}
	for _, h := range have {
		if h.Name == x.Name {
			return "", nil
		}
	}
	groups, err := c.api.EndpointGroups().List(ctx)
	if err != nil {
		return "", err
	}
	for _, g := range groups {
		if g.TenantName == n.TenantName && g.NetworkName == n.NetworkName && c.rand.IntN(2) == 0 {
			x.Group = g.GroupName
		}
	}
	return c.add(ctx, x)
}

// attachAgain repeats the ADD of a container, as a runtime does that has lost the answer.
func (c *cluster) attachAgain(ctx context.Context) (string, error) {
	have, err := c.lab.Containers()
	if err != nil {
		return "", err
	}
	x, ok := pick(c, have)
	if !ok || c.leaving[x.Name] {
		return "", nil
	}
	before := x.IPs
	x.IPs = nil
	got, err := c.lab.Attach(ctx, x)
	if err == nil && fmt.Sprint(got.IPs) != fmt.Sprint(before) {
		c.found("ADD of %s again gives %v, before it was %v", x.Name, got.IPs, before)
	}
	return fmt.Sprintf("attach %s on %s again", x.Name, x.Host), err
}

// add attaches a container; one that fails is deleted, as runtimes do.
func (c *cluster) add(ctx context.Context, x lab.Container) (string, error) {
	what := fmt.Sprintf("attach %s on %s to %s of %s, group %q", x.Name, x.Host, x.Network, x.Tenant, x.Group)
	got, err := c.lab.Attach(ctx, x)
	if err != nil {
		_, undone := c.lab.CNI(ctx, "del", x)
		return what, errors.Join(err, undone)
	}
	return fmt.Sprintf("%s: %v", what, got.IPs), nil
}

// detach ends a container; what fails is repeated before the next check.
func (c *cluster) detach(ctx context.Context) (string, error) {
	have, err := c.lab.Containers()
	if err != nil {
		return "", err
	}
	x, ok := pick(c, have)
	if !ok || isWitness(x.Name) {
		return "", nil
	}
	c.leaving[x.Name] = true
	return "detach " + x.Name, c.end(ctx, x.Name)
}

func (c *cluster) end(ctx context.Context, name string) error {
	err := c.lab.Detach(ctx, name)
	if err == nil {
		delete(c.leaving, name)
	}
	return err
}

// label gives a container the label that services look for, or takes it away.
func (c *cluster) label(ctx context.Context) (string, error) {
	have, err := c.lab.Containers()
	if err != nil {
		return "", err
	}
	x, ok := pick(c, have)
	if !ok || c.leaving[x.Name] {
		return "", nil
	}
	labels := map[string]string{tierLabel: []string{"front", "back"}[c.rand.IntN(2)]}
	return fmt.Sprintf("label %s %v", x.Name, labels), c.lab.Label(ctx, x.Name, labels)
}
