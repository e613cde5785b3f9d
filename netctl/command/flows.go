// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

type flowsOptions struct {
	output
	host, owner, table string
	drops, never, dark bool
}

func newFlows(f *Factory) *cobra.Command {
	o := &flowsOptions{}
	c := &cobra.Command{
		Use: "flows HOST", Short: "Show the flows of a host's switch with their rates and owners", Args: exactly("HOST"),
		Long: "Flows are listed table by table, with match, actions, the object that owns the flow, and packet counters. Rates appear once the " +
			"switch has been read twice within a few seconds: repeat the command. With -o wide, each flow is also printed as by ovs-ofctl.",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.host = args[0]
			return runFlows(cmd.Context(), f, o)
		},
	}
	o.register(c)
	c.Flags().StringVar(&o.owner, "owner", "", "only flows of this object: endpoint/NAME, or network, group, service, policy or rule/TENANT:NAME, or a value of column Owner")
	c.Flags().StringVar(&o.table, "table", "", "only this table, by name or number")
	c.Flags().BoolVar(&o.drops, "drops", false, "only flows that have dropped packets")
	c.Flags().BoolVar(&o.never, "never", false, "only flows that have matched no packet")
	c.Flags().BoolVar(&o.dark, "shadowed", false, "only flows that are shadowed by a flow with a higher priority")
	return c
}

func (o *flowsOptions) selects(x *model.Flow) bool {
	return (!o.drops || x.Drop && x.Packets > 0) && (!o.never || x.Packets == 0) && (!o.dark || x.Shadow != "")
}

func flowColumns(wide bool) []model.Column {
	columns := []model.Column{{Header: "Table"}, {Header: "Prio"}, {Header: "Match"}, {Header: "Does"}, {Header: "Packets"}, {Header: "Pkt/s"},
		{Header: "Bytes"}, {Header: "Byte/s"}, {Header: "Age"}, {Header: "Owner"}}
	if wide {
		columns = append(columns, model.Column{Header: "Flow"}, model.Column{Header: "Shadowed by"})
	}
	return columns
}

func flowRow(x *model.Flow, wide bool) []string {
	rate := func(v func(*model.FlowRate) float64) string {
		if x.Rate == nil {
			return "?"
		}
		return strconv.FormatFloat(v(x.Rate), 'f', 1, 64)
	}
	table, owner := x.Table, x.Owner
	if table == "" {
		table = x.TableID
	}
	if owner == "" {
		owner = "none"
	}
	row := []string{table, strconv.Itoa(int(x.Priority)), x.Match, x.Does, strconv.FormatUint(x.Packets, 10), rate(func(r *model.FlowRate) float64 { return r.Packets }),
		strconv.FormatUint(x.Bytes, 10), rate(func(r *model.FlowRate) float64 { return r.Bytes }), (time.Duration(x.Age) * time.Second).String(), owner}
	if wide {
		row = append(row, x.Flow, x.Shadow)
	}
	return row
}

func runFlows(ctx context.Context, f *Factory, o *flowsOptions) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	all, err := c.Flows(ctx, o.host, o.owner, o.table)
	if err != nil {
		return err // the error names the host
	}
	kept := []model.Flow{}
	l := &term.Listing{Table: term.Table{Columns: flowColumns(format.Wide())}}
	for i := range all {
		if o.selects(&all[i]) {
			kept = append(kept, all[i])
			l.Row(all[i].Flow, flowRow(&all[i], format.Wide()))
		}
	}
	l.Value = kept
	if err := f.print(l, format); err != nil {
		return err
	}
	if len(all) == 0 && o.owner != "" && format.Tabular() {
		fmt.Fprintf(f.Err, "%s has no flow of %s\n", o.host, o.owner)
	}
	return nil
}
