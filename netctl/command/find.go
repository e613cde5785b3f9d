// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newFind(f *Factory) *cobra.Command {
	o, limit := &output{}, 0
	c := &cobra.Command{
		Use: "find TEXT...", Short: "Find objects, endpoints and nodes by a part of a name, an address, a MAC, a port or a label",
		Long: "Searches the names and keys of objects of every kind, their addresses, subnets and ports, endpoints by the id and the name of their container,\n" +
			"their pod, address and MAC, labels by KEY=VALUE or their value, hosts, netmasters and Docker networks. Exact matches come first, then values\n" +
			"that begin with TEXT, then words that do, then other parts of words; objects come before endpoints, and names before labels. netctl get\n" +
			"takes the names in the column Name, and so do describe, history and why, as far as they take the kind. Several words are one text.",
		Example: "  netctl find 10.7.0.5\n  netctl find tcp 5432\n  netctl find app=db\n  netctl find web --limit 5 -o name",
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return term.BadUsage("expected TEXT, got no text")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runFind(cmd.Context(), f, o, strings.Join(args, " "), limit)
		},
	}
	o.register(c)
	c.Flags().IntVarP(&limit, "limit", "n", 20, fmt.Sprintf("maximum number of results, the best (at most %d)", model.MaxFound))
	return c
}

func runFind(ctx context.Context, f *Factory, o *output, text string, limit int) error {
	if limit < 1 || limit > model.MaxFound {
		return term.BadUsage("--limit: got %d, want a number from 1 to %d", limit, model.MaxFound)
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	answer, err := c.Find(ctx, text, limit)
	if err != nil {
		return err
	}
	l := &term.Listing{Table: term.Table{Columns: foundColumns()}, Value: answer.Items}
	for i := range answer.Items {
		x := &answer.Items[i]
		name := nameOf(x.Kind, x.Key)
		printed := name
		if x.Kind == model.FoundDockerNetwork {
			name = nameOf(x.Kind, (&model.DockerNetwork{ID: x.Key}).ShortID())
		}
		if format.Name == term.Quiet {
			printed = x.Key
		}
		l.Row(printed, []string{name, x.Rank, x.Field, x.Value, x.About})
	}
	if err := f.print(l, format); err != nil || !format.Tabular() {
		return err
	}
	switch {
	case answer.Total == 0:
		fmt.Fprintf(f.Err, "nothing found for %q\n", answer.Query)
	case answer.Total > len(answer.Items):
		fmt.Fprintf(f.Err, "%d of %d results (--limit shows more)\n", len(answer.Items), answer.Total)
	}
	return nil
}

func foundColumns() []model.Column {
	out := columns("Name", "Match", "Field", "Value", "About")
	out[0].Rank, out[1].Rank, out[2].Rank = model.RankHigh, model.RankNormal, model.RankNormal
	return out
}
