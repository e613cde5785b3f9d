// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/fold"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/netctl/term"
)

func newMatrix(f *Factory) *cobra.Command {
	o, tenant, namespace, at := &output{}, "", "", ""
	c := &cobra.Command{
		Use: "matrix [FROM TO]", Short: "Show which groups or pods may connect to each other",
		Long: "Rows are the groups that open connections, columns the groups that receive them. A cell is \"all\", \"none\", or the allowed traffic: " +
			"\"tcp 8080\" is only that port; \"all -tcp 22\" is everything except that port. A question mark means that the result depends on " +
			"addresses within a group. \"outside\" is every sender and receiver that is not a Contiv container. With FROM and TO, each class of " +
			"traffic is listed with the deciding rules. In a matrix of more than ten rows, groups with equal rows share a row, as in \"g0000..g0299 (300)\" and " +
			"\"web +4\", and groups with equal columns a column; -o wide prints each group. With --namespace, rows and columns are the pods of a Kubernetes namespace, and Kubernetes " +
			"network policies are applied too; pods with the same result share a row, as in \"web-1 +2\". Without --namespace, Kubernetes network " +
			"policies are ignored. The matrix does not check connectivity.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return term.BadUsage("expected [FROM TO], got %d arguments", len(args))
			}
			return nil
		},
	}
	o.register(c)
	c.Flags().StringVarP(&tenant, "tenant", "t", "default", "tenant of the groups")
	c.Flags().StringVarP(&namespace, "namespace", "n", "", "show the pods of this Kubernetes namespace")
	c.Flags().StringVar(&at, "at", "", "show what the policies of this moment allowed: "+momentUsage)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		moment, err := momentOf(f, "at", at)
		switch {
		case err != nil:
			return err
		case namespace != "" && at != "":
			return term.BadUsage("got --namespace and --at, want one of them: the pods of an earlier moment are not kept")
		case namespace != "":
			return runPodMatrix(cmd.Context(), f, o, namespace, args)
		}
		return runMatrix(cmd.Context(), f, o, tenant, moment, args)
	}
	return c
}

// cellOf is one cell of the matrix as data.
type cellOf struct {
	From    string  `json:"from"`
	To      string  `json:"to"`
	Sum     string  `json:"sum"`
	Classes []class `json:"classes"`
}

type class struct {
	Traffic string `json:"traffic"`
	Fate    string `json:"fate"`
	Out     string `json:"out,omitempty"` // rule of the sender's policies, "tenant:policy:rule"
	In      string `json:"in,omitempty"`  // rule of the receiver's
}

// policiesOf returns the policies of a tenant, at a moment; "": the present ones.
func policiesOf(ctx context.Context, c *client.Client, tenant, at string) (*verdict.Policies, error) {
	list := func(k *model.Kind) ([]model.Object, error) { return c.List(ctx, k) }
	var err error
	if at == "" {
		_, err = c.Tenants().Get(ctx, tenant)
	} else {
		_, err = objectAt(ctx, c, model.KindTenant(), tenant, at)
		list = func(k *model.Kind) ([]model.Object, error) { return objectsAt(ctx, c, k, at) }
	}
	if err != nil {
		return nil, err
	}
	var lists [3][]model.Object
	for i, k := range []*model.Kind{model.KindEndpointGroup(), model.KindNetwork(), model.KindRule()} {
		if lists[i], err = list(k); err != nil {
			return nil, err
		}
	}
	return verdict.New(tenant, lists[0], lists[1], lists[2]), nil
}

func runMatrix(ctx context.Context, f *Factory, o *output, tenant, at string, args []string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	p, err := policiesOf(ctx, c, tenant, at)
	if err != nil {
		return err
	}
	if len(args) == 2 {
		return writeVerdicts(f, format, p, tenant, args[0], args[1])
	}
	parties := p.Parties()
	var cells []cellOf
	for _, from := range parties {
		for _, to := range parties {
			cells = append(cells, judged(p, from, to))
		}
	}
	name := func(i int) string { return parties[i].Name() }
	return f.print(crossOf(format, cells, len(parties), func(from, to int) string { return cells[from*len(parties)+to].Sum }, func(x fold.Fold) string { return x.Name(name) }), format)
}

// crossOf is the table of a matrix of n parties, with value as its data. In a large one equal rows, and equal columns, are one, except in
// formats that print everything.
func crossOf(format term.Format, value any, n int, sum func(from, to int) string, name func(fold.Fold) string) *term.Listing {
	folds := fold.Matrix{Rows: fold.Each(n), Cols: fold.Each(n)}
	if n > fold.From && format.Tabular() && !format.Wide() {
		folds = fold.Of(folds.Rows, sum)
	}
	l := &term.Listing{Table: term.Table{Columns: columns("From \\ To")}, Value: value}
	for _, to := range folds.Cols {
		l.Columns = append(l.Columns, model.Column{Header: name(to)})
	}
	for _, from := range folds.Rows {
		row := []string{name(from)}
		for _, to := range folds.Cols {
			row = append(row, sum(from[0], to[0]))
		}
		l.Row(row[0], row)
	}
	return l
}

func judged(p *verdict.Policies, from, to verdict.Party) cellOf {
	list := p.Between(from, to)
	cell := cellOf{From: from.Name(), To: to.Name(), Sum: verdict.Sum(list).Text, Classes: []class{}}
	key := func(j verdict.Judgement) string {
		if j.By == nil {
			return ""
		}
		return j.By.ObjectKey()
	}
	for _, d := range list {
		cell.Classes = append(cell.Classes, class{d.Traffic.String(), d.Fate.String(), key(d.Out), key(d.In)})
	}
	return cell
}

func writeVerdicts(f *Factory, format term.Format, p *verdict.Policies, tenant, from, to string) error {
	find := func(name string) (verdict.Party, error) {
		for _, x := range p.Parties() {
			if x.Name() == name {
				return x, nil
			}
		}
		return verdict.Party{}, model.NotFound(model.KindEndpointGroup(), model.Key(tenant, name), func(k *model.Kind) (keys []string) {
			for _, x := range p.Parties() {
				if k == model.KindEndpointGroup() {
					keys = append(keys, model.Key(tenant, x.Name()))
				}
			}
			return keys
		})
	}
	a, err := find(from)
	if err != nil {
		return err
	}
	b, err := find(to)
	if err != nil {
		return err
	}
	cell := judged(p, a, b)
	l := &term.Listing{Table: term.Table{Columns: columns("Traffic", "Fate", "Sender's rule", "Receiver's rule")}, Value: cell}
	for i, x := range cell.Classes {
		l.Row(strconv.Itoa(i), []string{x.Traffic, x.Fate, x.Out, x.In})
	}
	return f.print(l, format)
}
