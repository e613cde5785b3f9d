// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// clear deletes everything that the campaign has made, and looks for what is left of it.
func (c *cluster) clear(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	have, err := c.lab.Containers()
	if err != nil {
		c.found("list containers: %v", err)
	}
	for _, x := range have {
		c.eventually(ctx, "the end of container "+x.Name, func() error { return c.end(ctx, x.Name) })
	}
	// In this order nothing is in use.
	for _, kind := range []*model.Kind{model.KindServiceLB(), model.KindEndpointGroup(), model.KindRule(), model.KindPolicy(), model.KindNetwork(), model.KindTenant()} {
		c.eventually(ctx, "no "+kind.Name+" is left", func() error { return c.deleteAll(ctx, kind) })
	}
	c.eventually(ctx, "no endpoint is left", func() error { return c.endpoints(ctx) })
	c.eventually(ctx, "no drift at the end", func() error { return c.drift(ctx) })
	for _, h := range hosts {
		c.eventually(ctx, "nothing is left on "+h, func() error { return c.leftOn(ctx, h) })
	}
	c.panics()
}

func (c *cluster) deleteAll(ctx context.Context, kind *model.Kind) error {
	list, err := c.api.List(ctx, kind)
	if err != nil {
		return err
	}
	for _, o := range list {
		if kind == model.KindTenant() && o.ObjectKey() == "default" {
			continue
		}
		if _, err := c.api.Delete(ctx, kind, o.ObjectKey()); err != nil {
			return err
		}
	}
	return nil
}

// leftOn returns an error that names ports, interfaces and namespaces of containers that a host still has.
func (c *cluster) leftOn(ctx context.Context, host string) error {
	for _, look := range []struct {
		command string
		left    func(line string) bool
	}{
		{"ovs-vsctl list-ports contiv0", func(s string) bool { return strings.HasPrefix(s, "vv") }},
		{"ip -o link", func(s string) bool { return strings.Contains(s, ": vv") }},
		{"ip netns", func(s string) bool { return s != "" }},
	} {
		cmd, err := c.lab.Command(ctx, host, strings.Fields(look.command)...)
		if err != nil {
			return err
		}
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", look.command, err)
		}
		for line := range strings.Lines(string(out)) {
			if look.left(strings.TrimSpace(line)) {
				return fmt.Errorf("%s: %s", look.command, strings.TrimSpace(line))
			}
		}
	}
	return nil
}
