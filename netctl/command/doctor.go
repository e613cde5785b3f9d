// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

type doctorOptions struct {
	output
	of    string
	now   bool // run the agents' checks now
	watch bool
	all   bool // show the findings that follow from others too
}

// registerAll adds the flag for the findings that follow from others.
func (o *doctorOptions) registerAll(c *cobra.Command) {
	c.Flags().BoolVar(&o.all, "all", false, "show the findings that follow from others too")
}

func newDoctor(f *Factory) *cobra.Command {
	o := &doctorOptions{now: true}
	c := &cobra.Command{
		Use: "doctor [HOST|ENDPOINT|SERVICE]", Short: "Run checks and show problems with their remedies",
		Long: "All agents check their hosts in parallel, for at most two seconds: the switch, the underlay, the path to other networks, and the " +
			"interfaces of containers. The netmasters add their own checks: leader, store, lag, drift, services without providers, pools. " +
			"Causes come first, the worst first; findings that follow from another one are only counted there, and --all prints them. " +
			"netctl explain CODE describes a finding; docs/findings.md lists all codes. The exit code is 0 without findings, 1 with only warnings or unknown states, and 2 with " +
			"errors; it is also 1 for a wrong argument, and 3 if netmaster does not answer.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return term.BadUsage("expected at most one argument (HOST, ENDPOINT or SERVICE), got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.of = args[0]
			}
			return runDoctor(cmd.Context(), f, o)
		},
	}
	o.register(c)
	o.registerAll(c)
	c.Flags().BoolVar(&o.watch, "watch", false, "repeat every five seconds until interrupted")
	return c
}

func newStatus(f *Factory) *cobra.Command {
	o := &doctorOptions{}
	o.more = prometheus
	c := &cobra.Command{
		Use: "status", Short: "Show known problems without running new checks",
		Long: "Shows the findings that agents and netmasters have already reported, as in the console; no agent is queried. Causes come first, and " +
			"findings that follow from another one are only counted there: --all prints them. With -o prometheus it prints all findings as metrics, " +
			"for the textfile collector of node_exporter. Exit codes are those of netctl doctor, which runs all checks now.",
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), f, o) },
	}
	o.register(c)
	o.registerAll(c)
	return c
}

// watchInterval is the time between two checks of doctor --watch.
const watchInterval = 5 * time.Second

func runDoctor(ctx context.Context, f *Factory, o *doctorOptions) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	for {
		var h model.Health
		if o.now {
			h, err = c.Doctor(ctx, o.of)
		} else {
			h, err = c.Health(ctx)
		}
		if err == nil {
			err = showHealth(f, &h, format, o.all)
		}
		if !o.watch {
			return errors.Join(err, outcome(&h))
		}
		if err != nil {
			fmt.Fprintln(f.Err, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchInterval):
		}
	}
}

// exitCode returns the exit code of a verdict.
func exitCode(h *model.Health) int {
	switch h.Worst() {
	case "":
		return 0
	case model.SeverityError:
		return term.Broken
	}
	return term.Warned
}

// outcome returns the exit code of a verdict as an error; nil: 0.
func outcome(h *model.Health) error {
	if code := exitCode(h); code != 0 {
		return term.Outcome(code)
	}
	return nil
}
