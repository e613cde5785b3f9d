// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/skew"
	"github.com/contiv/contiv/setup/upgrade"
)

func newUpgrade() *cobra.Command {
	var p place
	cmd := &cobra.Command{Use: "upgrade", Short: "Plan the upgrade of a cluster, and check this host before one", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	p.flags(cmd.PersistentFlags())
	cmd.AddCommand(newUpgradePlan(&p), newUpgradeCheck(&p))
	return cmd
}

// errBlocked is the error of a plan that must not be carried out now. The plan itself is printed.
type errBlocked int

func (n errBlocked) Error() string { return fmt.Sprintf("%d reasons forbid the upgrade now", int(n)) }

func newUpgradePlan(p *place) *cobra.Command {
	output := "table"
	cmd := &cobra.Command{
		Use: "plan", Short: "Print the steps that bring the cluster to the build of this contiv", Args: cobra.NoArgs,
		Long: "Print, in their order, the steps that bring the cluster to the build of this contiv, what each interrupts, and what forbids the upgrade now. " +
			"It changes nothing. Called again, it prints the remaining steps. It ends with 1 while something forbids the upgrade.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "table" && output != "json" {
				return fmt.Errorf("--output: got %q, want table or json", output)
			}
			state, err := p.state(cmd)
			if err != nil {
				return err
			}
			plan := upgrade.Make(state, upgrade.Build{Version: build.Info().Version, Protocol: skew.Protocol, Records: skew.Records})
			show := printPlan
			if output == "json" {
				show = func(out io.Writer, plan *upgrade.Plan) error {
					encoder := json.NewEncoder(out)
					encoder.SetIndent("", "  ")
					return encoder.Encode(plan)
				}
			}
			if err := show(cmd.OutOrStdout(), &plan); err != nil {
				return err
			}
			if n := len(plan.Blockers); n > 0 {
				return errBlocked(n)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "table or json")
	return cmd
}

// state asks the cluster of this host for its state.
func (p *place) state(cmd *cobra.Command) (s upgrade.State, err error) {
	c, _, _, err := p.reach()
	if err != nil {
		return s, err
	}
	if s.Nodes, err = c.Nodes(cmd.Context()); err != nil {
		return s, err
	}
	if s.Health, err = c.Health(cmd.Context()); err != nil {
		return s, err
	}
	leadership, err := c.Leadership(cmd.Context())
	s.Members = leadership.Store.Members
	return s, err
}

// printPlan prints a plan for people.
func printPlan(out io.Writer, plan *upgrade.Plan) error {
	if len(plan.Steps) == 0 {
		fmt.Fprintf(out, "all daemons run version %s: nothing to do\n", plan.To.Version)
	} else {
		fmt.Fprintf(out, "to version %s, after the new programs are on each host:\n\n", plan.To.Version)
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "Step\tHost\tDaemon\tVersion\tCommand\tInterrupts")
		for i, s := range plan.Steps {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", i+1, s.Host, s.Daemon, s.Version, s.Command, s.Effect)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		title string
		lines []string
	}{{"Forbidden now:", plan.Blockers}, {"Remarks:", plan.Remarks}} {
		if len(part.lines) == 0 {
			continue
		}
		fmt.Fprintln(out, "\n"+part.title)
		for _, line := range part.lines {
			fmt.Fprintln(out, "  "+line)
		}
	}
	return nil
}
