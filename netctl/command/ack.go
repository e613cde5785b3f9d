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

func newAck(f *Factory) *cobra.Command {
	var long time.Duration
	var reason string
	o, list, end := &writing{}, &output{}, &writing{}
	c := &cobra.Command{
		Use: "ack CODE OBJECT --for TIME --reason TEXT", Short: "Acknowledge a finding for a time: netctl and the console dim it",
		Long: "Acknowledges the findings with a code about an object, whichever host reports them, as netctl status prints both. They are listed last and in short, " +
			"with who has acknowledged them, until when and why; exit codes and metrics do not change. The audit log has each acknowledgement. It ends by itself.",
		Example: "  netctl ack uplink-down uplink/h1:eth2 --for 2h --reason 'switch replaced, ticket 4711'",
		Args:    exactly("CODE", "OBJECT"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var codes []string
			for _, c := range model.FindingCodes() {
				if len(args) == 0 {
					codes = append(codes, c.Code.String())
				}
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if long < time.Second {
				return term.BadUsage("--for: expected a time such as 2h, at most %v", model.MaxAcknowledged)
			}
			return runAck(cmd.Context(), f, o, args[0], args[1], long, reason)
		},
	}
	c.Flags().DurationVar(&long, "for", 0, "how long, such as 30m or 2h; at most 720h")
	c.Flags().StringVar(&reason, "reason", "", "reason, one line")
	o.registerTrial(c)
	ls := &cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List acknowledged findings", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runAckList(cmd.Context(), f, list) },
	}
	list.register(ls)
	rm := &cobra.Command{
		Use: "rm CODE OBJECT", Aliases: []string{"delete"}, Short: "End an acknowledgement", Args: exactly("CODE", "OBJECT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAck(cmd.Context(), f, end, args[0], args[1], 0, "")
		},
	}
	end.registerTrial(rm)
	c.AddCommand(ls, rm)
	return c
}

func runAck(ctx context.Context, f *Factory, o *writing, code, object string, long time.Duration, reason string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	if o.dryRun.on() {
		return tryAck(ctx, f, c, format, code, object, long)
	}
	out, err := c.Acknowledge(ctx, code, object, long, reason)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("%s %s is not acknowledged any more\n", out.Code, out.Object)
	if long != 0 {
		said = fmt.Sprintf("%s %s is acknowledged until %s\n", out.Code, out.Object, f.stamp(out.Until))
	}
	return f.answer(answer{said, []string{out.Code.String() + " " + out.Object}, out}, format)
}

// tryAck answers a dry run: the finding must exist, or, to end it, its acknowledgement.
func tryAck(ctx context.Context, f *Factory, c *client.Client, format term.Format, code, object string, long time.Duration) error {
	if long == 0 {
		list, err := c.Acknowledgements(ctx)
		if err != nil {
			return err
		}
		for _, a := range list {
			if a.Code.String() == code && a.Object == object {
				return f.answer(answer{fmt.Sprintf("%s %s would not be acknowledged any more (dry run)\n", code, object), []string{code + " " + object}, a}, format)
			}
		}
		return model.Errorf(model.CodeNotFound, "", "finding %s about %s is not acknowledged", code, object).Try("netctl ack ls lists those that are")
	}
	h, err := c.Health(ctx)
	if err != nil {
		return err
	}
	for i := range h.Findings {
		if x := &h.Findings[i]; x.Code.String() == code && x.Object == object {
			said := fmt.Sprintf("%s %s would be acknowledged until %s (dry run)\n", code, object, f.stamp(f.Now().Add(long)))
			return f.answer(answer{said, []string{code + " " + object}, x}, format)
		}
	}
	return model.Errorf(model.CodeNotFound, "", "there is no finding %s about %s now", code, object).Try("netctl status --all lists the findings")
}

func runAckList(ctx context.Context, f *Factory, o *output) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	list, err := c.Acknowledgements(ctx)
	if err != nil {
		return err
	}
	l := &term.Listing{Table: term.Table{Columns: columns("Code", "Object", "By", "Until", "Reason")}, Value: list}
	for _, a := range list {
		l.Row(a.Code.String()+" "+a.Object, []string{a.Code.String(), a.Object, a.By, a.Until.UTC().Format(time.RFC3339), a.Reason})
	}
	return f.print(l, format)
}
