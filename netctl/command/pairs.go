// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/netctl/term"
)

func newLeaderPeers(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use: "peers", Short: "Show how netmasters reach each other",
		Long: "Each netmaster measures each other one each second, and netmasters exchange the results. Ahead is by how much the clock of the other " +
			"one is ahead, after half of the round trip. The round trip is the smallest of the last five. A netmaster that has not reported for " +
			"30 seconds is listed without measurements.",
		Args: exactly(),
	}
	o := &output{}
	o.register(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error { return runLeaderPeers(cmd.Context(), f, o) }
	return c
}

func runLeaderPeers(ctx context.Context, f *Factory, o *output) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	pairs, err := c.MasterPairs(ctx)
	if err != nil {
		return err
	}
	l := &term.Listing{Table: term.Table{Columns: columns(term.PairHeaders()...)}, Value: pairs}
	for _, r := range term.PairRows(&pairs) {
		l.Row(r[0]+" "+r[1], r)
	}
	return f.print(l, format)
}
