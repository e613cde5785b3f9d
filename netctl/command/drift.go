// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

type driftOptions struct {
	output
	host   string
	repair bool
}

func newDrift(f *Factory) *cobra.Command {
	o := &driftOptions{}
	c := &cobra.Command{
		Use: "drift [HOST]", Short: "Show differences between switches and their intended state",
		Long: "Agents compare their switches with the intended state. Current differences are listed as \"now\", with the object that each " +
			"belongs to. Differences that the periodic comparison (every 30 seconds) found earlier are listed as \"found\"; agents have " +
			"repaired them, unless netplugin runs with --observe. Nothing changes without --repair. Without HOST, all agents are queried. " +
			"The exit code is 10 if something differs now. With -o wide, the flows are listed too.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return term.BadUsage("expected at most one argument (HOST), got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.host = args[0]
			}
			return runDrift(cmd.Context(), f, o)
		},
	}
	o.register(c)
	c.Flags().BoolVar(&o.repair, "repair", false, "repair the switches first")
	return c
}

func runDrift(ctx context.Context, f *Factory, o *driftOptions) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	hosts := []string{o.host}
	if o.host == "" {
		nodes, err := c.Nodes(ctx)
		if err != nil {
			return err
		}
		hosts = nil
		for _, n := range nodes {
			if n.Role == model.RoleAgent {
				hosts = append(hosts, n.Name)
			}
		}
	}
	l := &term.Listing{Table: term.Table{Columns: model.ViewDrift().Columns(format.Wide())}}
	all, rows, differ, stuck, silent := []model.Drift{}, 0, 0, 0, error(nil)
	for _, host := range hosts {
		d, err := c.Drift(ctx, host, o.repair)
		if err != nil {
			if o.host != "" {
				return err // the error names the host
			}
			silent = errors.Join(silent, err)
			continue
		}
		all, rows, differ = append(all, d), rows+len(d.Found)+len(d.Now), differ+len(d.Now)
		for _, x := range d.Now {
			if x.Remedy != "" {
				stuck++
			}
		}
		addDifferences(l, "found", &d, d.Found, format.Wide())
		addDifferences(l, "now", &d, d.Now, format.Wide())
	}
	l.Value = all
	if rows > 0 || !format.Tabular() {
		if err := f.print(l, format); err != nil {
			return err
		}
	}
	if silent == nil && differ == 0 && format.Tabular() {
		said := "nothing differs"
		if rows > 0 {
			said += " now"
		}
		fmt.Fprintln(f.Err, said)
	}
	switch {
	case silent != nil || differ == 0:
		return silent
	case stuck > 0:
		fmt.Fprintf(f.Err, "differences in the switches: %d; netctl drift --repair cannot repair %d of them: see the remedies in the table\n", differ, stuck)
	default:
		fmt.Fprintf(f.Err, "differences in the switches: %d; netctl drift --repair repairs them\n", differ)
	}
	return term.Outcome(term.Differs)
}

// addDifferences appends differences as rows.
func addDifferences(l *term.Listing, when string, d *model.Drift, list []model.Difference, wide bool) {
	own := map[string]string{"Host": d.Host, "When": when}
	for i := range list {
		l.Row(d.Host+"/"+list[i].Kind, term.ViewRow(model.ViewDrift(), wide, &list[i], own))
	}
}
