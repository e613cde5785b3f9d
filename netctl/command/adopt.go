package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newAdopt(f *Factory) *cobra.Command {
	c := &cobra.Command{Use: "adopt", Short: "Endpoints that run and contradict the store",
		Long: "After a restore, or when the store was lost, hosts offer the endpoints that they carry, and these become part of the store. Those that contradict it - another endpoint has the " +
			"address, or the network is another one - keep their network on their host until you decide."}
	o := &output{}
	ls := &cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List them, with the endpoint that each contradicts", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runAdoptList(cmd.Context(), f, o) },
	}
	o.register(ls)
	c.AddCommand(ls, newAdoptDecision(f, "accept", "Make one part of the store, and delete the endpoint that it contradicts", true),
		newAdoptDecision(f, "drop", "Have one lose its network", false))
	return c
}

func newAdoptDecision(f *Factory, use, short string, accept bool) *cobra.Command {
	return &cobra.Command{Use: use + " NAME", Short: short, Args: exactly("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAdoptDecision(cmd.Context(), f, model.AdoptionDecision{Name: args[0], Accept: accept})
		},
	}
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
	l := &listing{Table: term.Table{Columns: []model.Column{{Header: "Name"}, {Header: "Host"}, {Header: "Address"}, {Header: "Holder"}, {Header: "Since"}, {Header: "Reason"}}}, value: list}
	for _, a := range list {
		l.row(a.Name, []string{a.Name, a.Host, a.Address, a.Holder, a.Since.UTC().Format(time.RFC3339), a.Reason})
	}
	if err := l.write(f, format); err != nil {
		return err
	}
	verdict, err := c.Health(ctx)
	if err != nil {
		return err
	}
	for _, x := range verdict.Findings {
		if x.Code == "adoption-waits" {
			return printf(f.Err, "%s\n%s\n", x.Evidence, x.Remedy)
		}
	}
	return nil
}

func runAdoptDecision(ctx context.Context, f *Factory, d model.AdoptionDecision) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	out, err := c.DecideAdoption(ctx, d)
	switch {
	case err != nil:
		return err
	case !d.Accept:
		return printf(f.Out, "endpoint %s on host %s loses its network within seconds\n", out.Name, out.Host)
	case out.Holder != "" && out.Holder != out.Name:
		return printf(f.Out, "endpoint %s on host %s keeps its network; endpoint %s was deleted\n", out.Name, out.Host, out.Holder)
	}
	return printf(f.Out, "endpoint %s on host %s keeps its network\n", out.Name, out.Host)
}
