// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/moment"
	"github.com/contiv/contiv/netctl/term"
)

type observeOptions struct {
	ask   model.Observe
	since string
	output
}

func newObserve(f *Factory) *cobra.Command {
	o := &observeOptions{}
	c := &cobra.Command{
		Use: "observe", Short: "Show connections of the whole cluster: opened, closed, refused and unroutable", Args: exactly(),
		Long: "Shows connections seen by all hosts, in order of time. With -f, follow new ones. Opened and closed connections are read from the switch's " +
			"connection tracker about every second; for refused and dropped connections, one packet is reported every ten seconds. The verdict " +
			"unknown marks gaps. An end is a container, pod (NAMESPACE/NAME), group, service, host or address; separate several by commas.",
		RunE: func(cmd *cobra.Command, _ []string) error { return runObserve(cmd.Context(), f, o) },
	}
	c.Flags().StringVar(&o.ask.From, "from", "", "only connections opened by this end")
	c.Flags().StringVar(&o.ask.To, "to", "", "only connections to this end")
	c.Flags().StringVar(&o.ask.Rule, "rule", "", "only this rule (TENANT:POLICY:RULE), policy (TENANT:POLICY) or networkpolicy/NAMESPACE/NAME")
	c.Flags().StringVar(&o.ask.Service, "service", "", "only this service")
	c.Flags().StringVarP(&o.ask.Tenant, "tenant", "t", "", "only this tenant")
	c.Flags().BoolVar(&o.ask.Denied, "denied", false, "only refused or dropped connections")
	c.Flags().BoolVarP(&o.ask.Follow, "follow", "f", false, "continue until interrupted")
	c.Flags().StringVar(&o.since, "since", "", fmt.Sprintf("show events since then: %s (default %v; with -f, only new ones)", moment.Forms, model.ObserveSince))
	c.Flags().BoolVar(&o.headless, "no-headers", false, "print no header")
	o.registerOutput(c, "table")
	return c
}

func runObserve(ctx context.Context, f *Factory, o *observeOptions) error {
	since, err := f.since("since", o.since)
	if err != nil {
		return err
	}
	if !since.IsZero() {
		if o.ask.Since = f.Now().Sub(since); o.ask.Since <= 0 {
			return term.BadUsage("--since: got %s, which is not before now", o.since)
		}
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	seen, lost := 0, uint64(0)
	out := &stream{Listing: term.Listing{Table: term.Table{Columns: columns("Time", "Host", "Verdict", "Traffic", "From", "To", "Why")}}}
	head := format.Tabular() && !format.Headless
	for e, err := range c.Observe(ctx, o.ask) {
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			return err
		}
		if head {
			head = false
			if err := printf(f.Out, observedLine, "Time", "Host", "Verdict", "Traffic", "From", "To", "Why"); err != nil {
				return err
			}
		}
		if e.Verdict == model.ObservedUnknown {
			lost += e.Count
		} else {
			seen++
		}
		row := []string{moment.FormatMillis(e.Time, nil), e.Host, string(e.Verdict), e.Traffic(), e.From.String(), e.To.String(), e.Why()}
		if err := out.item(f, format, o.line(f, &e), e.Host, &e, row); err != nil {
			return err
		}
	}
	if lost > 0 || o.ask.Follow {
		fmt.Fprintf(f.Err, "%d events; %d more were missed\n", seen, lost)
	}
	return nil
}

// observedLine has widths for common values: lines arrive one by one, so the width of a column is unknown.
const observedLine = "%-28s  %-8s  %-7s  %-9s  %-30s  %-30s  %s\n"

// line formats an event as text.
func (o *observeOptions) line(f *Factory, e *model.Observed) string {
	line := fmt.Sprintf(observedLine, moment.FormatMillis(e.Time, f.screen(term.Format{Name: "table"}).Zone), e.Host, e.Verdict, e.Traffic(), e.From, e.To, e.Why())
	return strings.TrimRight(line, " \n")
}
