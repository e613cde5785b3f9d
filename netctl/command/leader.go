// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newLeader(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use: "leader", Short: "Show the leader, earlier leaders, leases and the store",
		Long: "The netmaster that holds the lock in the store is the leader; only the leader can write. The latest terms are listed, newest last; an " +
			"earlier term ends when the next one starts. A lease is the time that a key remains after its owner has stopped renewing it.",
		Args: exactly(),
	}
	o := &output{}
	o.register(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error { return runLeader(cmd.Context(), f, o) }
	c.AddCommand(newHandover(f), newLeaderPeers(f))
	return c
}

func newHandover(f *Factory) *cobra.Command {
	var request model.HandoverRequest
	o := &writing{}
	c := &cobra.Command{
		Use: "handover", Short: "Transfer the leadership to another netmaster",
		Long: "The leader finishes pending writes and releases the lock to the named netmaster, or to the most up-to-date one. A netmaster that " +
			"cannot lead immediately is refused, and nothing changes. Requests that arrive meanwhile wait for the new leader; forwarding is not " +
			"affected. The command returns when the new leader accepts writes. The history and the list of terms show who requested the handover.",
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runHandover(cmd.Context(), f, o, request) },
	}
	c.Flags().StringVar(&request.To, "to", "", "address of the new leader, or label of its host (default: the most up-to-date netmaster)")
	o.registerTrial(c)
	return c
}

func runHandover(ctx context.Context, f *Factory, o *writing, request model.HandoverRequest) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	if o.dryRun.on() {
		return tryHandover(ctx, f, c, format, request)
	}
	out, err := c.HandOver(ctx, request)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("%s handed over to %s, which accepted writes after %.0f ms\n", out.From, out.To, out.Millis)
	if out.From == out.To {
		said = fmt.Sprintf("%s is already the leader\n", out.To)
	}
	return f.answer(answer{said, []string{out.To}, out}, format)
}

// tryHandover answers a dry run: the next leader must be a netmaster that is ready.
func tryHandover(ctx context.Context, f *Factory, c *client.Client, format term.Format, request model.HandoverRequest) error {
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return err
	}
	to := "the most up-to-date netmaster"
	if request.To != "" {
		nodes = slices.DeleteFunc(nodes, func(n model.Node) bool { return n.Role == model.RoleAgent })
		if nodes, err = model.NodesOf(nodes, request.To); err != nil {
			return err
		}
		if to = nodes[0].Name; !nodes[0].Ready {
			return model.Errorf(model.CodeNotReady, "to", "netmaster %s cannot lead now: %s", to, nodes[0].Reason).Try("select another one: netctl node ls lists them")
		}
	}
	return f.answer(answer{fmt.Sprintf("the leader would hand over to %s (dry run)\n", to), []string{to}, request}, format)
}

func runLeader(ctx context.Context, f *Factory, o *output) error {
	format, err := o.parse()
	if err != nil {
		return err
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	l, err := c.Leadership(ctx)
	if err != nil {
		return err
	}
	if !format.Tabular() {
		return f.answer(answer{names: []string{l.Holder}, value: l}, format)
	}
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return err
	}
	return writeLeadership(f, l, nodes, format.Headless)
}

func writeLeadership(f *Factory, l model.Leadership, nodes []model.Node, headless bool) error {
	lead := model.LeadOf(nodes, l)
	holder := lead.Address
	if holder == "" {
		holder = "none"
	}
	if err := printf(f.Out, "%s holds %s, term %d\n", holder, l.Key, max(lead.Term, l.Term)); err != nil {
		return err
	}
	if l.Reason != "" {
		if err := printf(f.Out, "incomplete: %s\n", l.Reason); err != nil {
			return err
		}
	}
	masters := term.Table{Columns: model.ViewMasters().Columns(false)}
	for i := range nodes {
		if n := &nodes[i]; n.Role != model.RoleAgent {
			masters.Add(term.ViewRow(model.ViewMasters(), false, n, map[string]string{"Role": string(lead.Role(n))}))
		}
	}
	terms := term.Table{Columns: model.ViewTerms().Columns(false)}
	for i := range l.Terms {
		terms.Add(term.ViewRow(model.ViewTerms(), false, &l.Terms[i], nil))
	}
	leases := term.Table{Columns: columns("Leased key", "Granted", "Left")}
	for _, x := range l.Leases {
		leases.Add([]string{x.Key, seconds(x.Seconds), seconds(x.Left)})
	}
	members := term.Table{Columns: columns("Store member", "Address", "Leads", "Version", "Database", "In use", "Quota", "Space", "Answered in", "Error")}
	for _, m := range l.Store.Members {
		members.Add([]string{m.Name, m.Address, strconv.FormatBool(m.Leader), m.Version, humanize.IBytes(uint64(m.Bytes)), reported(m.InUse), reported(m.Quota), m.Space, fmt.Sprintf("%.1f ms", m.Millis), m.Error})
	}
	for _, t := range []*term.Table{&masters, &terms, &leases, &members} {
		if err := printf(f.Out, "\n"); err != nil {
			return err
		}
		if err := f.table(t, term.Format{Name: "table", Headless: headless}); err != nil {
			return err
		}
	}
	if len(l.Store.Members) == 0 {
		if err := printf(f.Out, "the store does not report members and leases\n"); err != nil {
			return err
		}
	}
	return printf(f.Out, "\nstore %s, one read took %.1f ms\n", l.Store.Name, l.Store.ReadMillis)
}

// reported formats a number of bytes that a member of the store may not report.
func reported(bytes int64) string {
	if bytes == 0 {
		return "unknown"
	}
	return humanize.IBytes(uint64(bytes))
}

func seconds(s float64) string { return fmt.Sprintf("%.1f s", s) }
