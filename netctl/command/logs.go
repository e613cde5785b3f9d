// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// logInterval is the pause between two requests for lines that follow.
const logInterval = time.Second

func newLogs(f *Factory) *cobra.Command {
	var follow bool
	var lines int
	o := &output{}
	c := &cobra.Command{
		Use: "logs HOST [netplugin|netmaster|ovs-vswitchd|ovsdb-server]", Short: "Print the last log lines of a daemon of a host, or of its switch",
		Long: "Prints the last lines of the log of netplugin, or of another part of a host, without secrets. Of a daemon that has ended, the other daemon of " +
			"the host shows the lines that it has left, its panic among them. Those of Open vSwitch are from its log file. The right to write support bundles is " +
			"needed; the audit log has one event for all requests of a command.",
		Example: "  netctl logs h1\n  netctl logs h1 netmaster -f",
		Args:    cobra.RangeArgs(1, 2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return model.LogParts(), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	o.register(c)
	c.Flags().BoolVarP(&follow, "follow", "f", false, "print new lines as they are logged")
	c.Flags().IntVarP(&lines, "lines", "n", 200, "maximum number of lines, the newest (0: 2,000)")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		part := model.LogNetplugin
		if len(args) == 2 {
			part = args[1]
		}
		return runLogs(cmd.Context(), f, o, args[0], part, lines, follow)
	}
	return c
}

func runLogs(ctx context.Context, f *Factory, o *output, host, part string, lines int, follow bool) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	var out model.LogLines
	for from, after, gap := "", "", false; ; {
		switch out, err = c.Logs(ctx, host, part, after, lines); {
		case err != nil && (ctx.Err() != nil && follow):
			return nil
		case err != nil && (!follow || after == ""):
			return err
		case err != nil:
			if !gap {
				fmt.Fprintf(f.Err, "%v; retrying\n", err)
			}
			gap = true
		case !format.Tabular():
			return f.print(&term.Listing{Value: out}, format)
		default:
			if out.From != from && (from != "" || out.Ended) {
				fmt.Fprintf(f.Err, "from %s\n", source(&out))
			}
			from, after, gap = out.From, out.Next, false
			for _, line := range out.Lines {
				if err := printf(f.Out, "%s\n", line); err != nil {
					return err
				}
			}
		}
		if !follow {
			return nil
		}
		lines = 0 // of those that follow, all
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(logInterval):
		}
	}
}

// source describes where lines are from.
func source(out *model.LogLines) string {
	if out.Ended {
		return out.From + ": " + out.Part + " did not answer, and has left these lines"
	}
	return out.From
}
