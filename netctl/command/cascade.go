// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// cascading has the flags of tenant rm that delete the objects of the tenant too.
type cascading struct {
	cascade, yes bool
}

func (o *cascading) register(c *cobra.Command) {
	c.Flags().BoolVar(&o.cascade, "cascade", false, "also delete all objects of the tenant, after a list of them and a confirmation")
	c.Flags().BoolVar(&o.yes, "yes", false, "with --cascade: delete without a confirmation")
}

// runCascade deletes a tenant with its objects. Without --yes it lists them, and asks on a terminal.
func runCascade(ctx context.Context, f *Factory, o *removeOptions) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	if _, err := c.Tenants().Get(ctx, o.name); err != nil {
		return err
	}
	objects, err := tenantObjects(ctx, c, o.name)
	if err != nil {
		return err
	}
	if err := unused(ctx, c, o.name); err != nil {
		return err
	}
	tried := &portions{c: c, dry: true}
	if err := tried.send(ctx, nil, objects); err != nil {
		return err
	}
	if o.dryRun.on() {
		return tried.report(f, format)
	}
	if !o.yes {
		if err := (&portions{results: tried.results, dry: true}).list(f); err != nil {
			return err
		}
		if err := f.confirm(fmt.Sprintf("Delete these %d objects?", len(objects))); err != nil {
			return err
		}
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	p := &portions{c: c}
	err = p.send(ctx, nil, objects)
	if err := p.report(f, format); err != nil {
		return err
	}
	if err != nil {
		return p.incomplete(err)
	}
	return o.await(ctx, f, c, p.rev)
}

// list prints the results of a trial on the standard error, so that the output has only the results.
func (p *portions) list(f *Factory) error {
	for _, c := range changedObjects(p.results, p.dry, 0) {
		fmt.Fprint(f.Err, c.line())
	}
	return nil
}

// tenantObjects returns a tenant and all its objects.
func tenantObjects(ctx context.Context, c *client.Client, tenant string) (out []model.ApplyObject, err error) {
	for _, k := range model.Order() {
		if !k.TenantScoped() {
			continue
		}
		list, err := c.List(ctx, k)
		if err != nil {
			return nil, err
		}
		for _, object := range list {
			if isOf(object, tenant) {
				out = append(out, keyOf(object))
			}
		}
	}
	return append(out, keyed(model.KindTenant(), []string{tenant})), nil
}

// unused refuses a tenant that has endpoints: only the end of their containers removes them.
func unused(ctx context.Context, c *client.Client, tenant string) error {
	all, err := c.Endpoints().List(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range all {
		if e.Tenant() == tenant {
			names = append(names, e.EndpointID+" on "+e.HomingHost)
		}
	}
	if len(names) == 0 {
		return nil
	}
	const most = 10
	more := ""
	if n := len(names) - most; n > 0 {
		names, more = names[:most], fmt.Sprintf(" and %d more", n)
	}
	return model.Errorf(model.CodeInUse, "tenant", "tenant %s has endpoints: %s%s", tenant, strings.Join(names, ", "), more).Try("stop their containers first")
}

// confirm asks a question on the terminal. Without a terminal, or after an answer other than yes, it returns an error.
func (f *Factory) confirm(question string) error {
	if !f.InTTY {
		return term.Exitf(term.Differs, "nothing was changed: use --yes to delete without a confirmation")
	}
	fmt.Fprintf(f.Err, "%s [y/N] ", question)
	line, err := term.Line(f.In)
	if answer := strings.ToLower(strings.TrimSpace(line)); err != nil || answer != "y" && answer != "yes" {
		return term.Exitf(term.Differs, "nothing was changed")
	}
	return nil
}
