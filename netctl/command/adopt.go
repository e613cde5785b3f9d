// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newAdopt(f *Factory) *cobra.Command {
	c := &cobra.Command{Use: "adopt", Short: "Resolve running endpoints that contradict the store",
		Long: "After a restore or a loss of the store, hosts offer their running endpoints, and the store adopts them. An endpoint that contradicts the store (another endpoint has its address, " +
			"or its network differs) keeps its network on its host until you decide."}
	o := &output{}
	ls := &cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List contradicting endpoints, with the stored endpoint that each contradicts", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runAdoptList(cmd.Context(), f, o) },
	}
	o.register(ls)
	c.AddCommand(ls, newAdoptDecision(f, "accept", "Adopt an endpoint, and delete the stored one that it contradicts", true),
		newAdoptDecision(f, "drop", "Disconnect an endpoint from its network", false))
	return c
}

func newAdoptDecision(f *Factory, use, short string, accept bool) *cobra.Command {
	o := &writing{}
	c := &cobra.Command{Use: use + " NAME", Short: short, Args: exactly("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAdoptDecision(cmd.Context(), f, o, model.AdoptionDecision{Name: args[0], Accept: accept})
		},
	}
	o.registerTrial(c)
	return c
}

func runAdoptList(ctx context.Context, f *Factory, o *output) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	list, err := c.Adoptions(ctx)
	if err != nil {
		return err
	}
	l := &term.Listing{Table: term.Table{Columns: columns("Name", "Host", "Address", "Holder", "Since", "Reason")}, Value: list}
	for _, a := range list {
		l.Row(a.Name, []string{a.Name, a.Host, a.Address, a.Holder, a.Since.UTC().Format(time.RFC3339), a.Reason})
	}
	if err := f.print(l, format); err != nil {
		return err
	}
	verdict, err := c.Health(ctx)
	if err != nil {
		return err
	}
	for _, x := range verdict.Findings {
		if x.Code == model.FindingAdoptionWaits {
			return printf(f.Err, "%s\n%s\n", x.Evidence, x.Remedy)
		}
	}
	return nil
}

// adoption finds a contradicting endpoint by its name.
func adoption(ctx context.Context, c *client.Client, name string) (model.Adoption, error) {
	list, err := c.Adoptions(ctx)
	if err != nil {
		return model.Adoption{}, err
	}
	for _, a := range list {
		if a.Name == name {
			return a, nil
		}
	}
	return model.Adoption{}, model.Errorf(model.CodeNotFound, "name", "endpoint %s waits for no decision", name).Try("netctl adopt ls lists those that do")
}

func runAdoptDecision(ctx context.Context, f *Factory, o *writing, d model.AdoptionDecision) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	decide := c.DecideAdoption
	if o.dryRun.on() {
		decide = func(ctx context.Context, d model.AdoptionDecision) (model.Adoption, error) {
			return adoption(ctx, c, d.Name)
		}
	}
	out, err := decide(ctx, d)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("endpoint %s on host %s keeps its network", out.Name, out.Host)
	switch {
	case !d.Accept:
		said = fmt.Sprintf("endpoint %s on host %s loses its network within seconds", out.Name, out.Host)
	case out.Holder != "" && out.Holder != out.Name:
		said += fmt.Sprintf("; endpoint %s was deleted", out.Holder)
	}
	if o.dryRun.on() {
		said += " (dry run)"
	}
	return f.answer(answer{said + "\n", []string{out.Name}, out}, format)
}
