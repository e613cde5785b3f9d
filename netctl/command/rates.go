// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rates"
	"github.com/contiv/contiv/netctl/term"
)

// sparkLevels are the characters of a line's history, as in the console.
const sparkLevels = "▁▂▃▄▅▆▇█"

type ratesOptions struct {
	output
	level    rates.Level
	tenant   string
	interval time.Duration
	limit    int
	watch    bool
}

func newRates(f *Factory) *cobra.Command {
	o := &ratesOptions{}
	var levels []string
	for _, l := range rates.Levels() {
		levels = append(levels, string(l))
	}
	c := &cobra.Command{
		Use: "top [" + strings.Join(levels, "|") + "]", Short: "Show traffic rates of endpoints, groups, hosts and rules",
		Long: "Samples switch counters twice and shows traffic per second, highest first. With --watch, continue and show the trend of each line. The " +
			"rate of a rule is mostly that of packets that open connections, because packets of established connections bypass the rules. A host " +
			"that does not answer is named; its traffic is not included.",
		ValidArgs: levels,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !slices.Contains(levels, args[0]) {
				return term.BadUsage("expected at most one argument of %s, got %s", strings.Join(levels, ", "), strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.level = rates.Endpoints
			if len(args) == 1 {
				o.level = rates.Level(args[0])
			}
			return runRates(cmd.Context(), f, o)
		},
	}
	o.register(c)
	c.Flags().StringVarP(&o.tenant, "tenant", "t", "", "only this tenant")
	c.Flags().DurationVarP(&o.interval, "interval", "i", 2*time.Second, "time between two samples, 500ms to 1m")
	c.Flags().IntVarP(&o.limit, "limit", "n", 20, "maximum number of lines (0: all)")
	c.Flags().BoolVarP(&o.watch, "watch", "w", false, "continue until interrupted")
	return c
}

func runRates(ctx context.Context, f *Factory, o *ratesOptions) error {
	if o.interval < 500*time.Millisecond || o.interval > time.Minute {
		return term.BadUsage("--interval: got %v, want 500ms to 1m", o.interval)
	}
	if o.limit < 0 {
		return term.BadUsage("--limit: got %d, want a number of lines, or 0 for all", o.limit)
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	var m rates.Meter
	for {
		silent, err := look(ctx, c, &m, o.tenant)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !o.watch:
			return err
		case err != nil:
			fmt.Fprintln(f.Err, err)
		case m.Known():
			if err := showRates(f, o, format, m.Lines(o.level)); err != nil {
				return err
			}
			for _, line := range silent {
				fmt.Fprintln(f.Err, line)
			}
			if !o.watch {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(o.interval):
		}
	}
}

// look asks once; silent has the hosts that did not answer, with the reason.
func look(ctx context.Context, c *client.Client, m *rates.Meter, tenant string) (silent []string, err error) {
	counters, err := c.Counters(ctx, tenant)
	if err != nil {
		return nil, err
	}
	for _, h := range counters.Hosts {
		if h.Unknown != "" {
			silent = append(silent, fmt.Sprintf("host %s not sampled: %s", h.Host, h.Unknown))
		}
	}
	m.Add(&counters)
	return silent, nil
}

func showRates(f *Factory, o *ratesOptions, format term.Format, lines []rates.Line) error {
	if o.limit > 0 {
		lines = lines[:min(o.limit, len(lines))]
	}
	l := &term.Listing{Table: term.Table{Columns: ratesColumns(o)}, Value: append([]rates.Line{}, lines...)}
	for i := range lines {
		name := lines[i].Name
		if format.Name != term.Quiet {
			name = strings.TrimSuffix(string(o.level), "s") + "/" + name
		}
		l.Row(name, ratesRow(o, &lines[i]))
	}
	if err := f.print(l, format); err != nil || !o.watch || !format.Tabular() {
		return err
	}
	return printf(f.Out, "\n")
}

func ratesColumns(o *ratesOptions) []model.Column {
	head := strings.TrimSuffix(string(o.level), "s")
	out := []model.Column{{Header: strings.ToUpper(head[:1]) + head[1:]}}
	switch o.level {
	case rates.Rules:
		out = append(out, model.Column{Header: "Decides about"}, model.Column{Header: "Packets"})
	case rates.Endpoints:
		out = append(out, model.Column{Header: "Container"}, model.Column{Header: "Host"})
		fallthrough
	default:
		out = append(out, model.Column{Header: "Sends"}, model.Column{Header: "Packets"}, model.Column{Header: "Receives"}, model.Column{Header: "Packets"})
	}
	if o.watch {
		out = append(out, model.Column{Header: "Past", Dashes: rates.Kept})
	}
	return out
}

func ratesRow(o *ratesOptions, l *rates.Line) []string {
	out := []string{l.Name}
	if o.level == rates.Endpoints {
		out = append(out, l.Container, l.On)
	}
	out = append(out, bits(l.Sent.Bytes), perSecond(l.Sent.Packets))
	if o.level != rates.Rules {
		out = append(out, bits(l.Received.Bytes), perSecond(l.Received.Packets))
	}
	if o.watch {
		out = append(out, rates.Spark(sparkLevels, l.Past, rates.Kept))
	}
	return out
}

// bits formats a rate of bytes in bit/s.
func bits(bytes float64) string { return quantity(8*bytes, "bit/s") }

func perSecond(packets float64) string { return quantity(packets, "/s") }

// quantity formats a number with an SI prefix above 1; smaller numbers have none, since a thousandth of a packet means nothing.
func quantity(v float64, unit string) string {
	if v < 1 {
		return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64) + " " + unit
	}
	return humanize.SIWithDigits(v, 1, unit)
}
