// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// addRules adds the rule verbs to the policy command.
func addRules(f *Factory, k *model.Kind, c *cobra.Command) {
	add, o := newCreate(f, k)
	add.Use, add.Short = k.Command.Use+"-add", "Add a rule to a policy"
	o.prepare = checkRule
	rm := newRemove(f, k)
	rm.Use, rm.Aliases, rm.Short = k.Command.Use+"-rm", []string{k.Command.Use + "-delete"}, "Delete a rule of a policy"
	show := newInspect(f, k)
	show.Use, show.Short = k.Command.Use+"-inspect", "Show a rule with its counters"
	c.AddCommand(add, rm, newRuleList(f, k), show)
}

// checkRule refuses flags that do not apply to the rule's direction.
func checkRule(fields map[string]any) error {
	given := func(field string) bool { text, _ := fields[field].(string); return text != "" }
	refuse := func(format string, args ...any) error { return term.Exitf(term.Usage, format, args...) }
	switch direction := fields["direction"]; direction {
	case "in":
		switch {
		case given("toEndpointGroup"), given("toNetwork"):
			return refuse("Cant specify to-group or to-network for incoming rule")
		case given("fromEndpointGroup") && given("fromNetwork"):
			return refuse("Cant specify both from-group argument and -from-network for incoming rule")
		}
	case "out":
		switch {
		case given("fromEndpointGroup"), given("fromNetwork"), given("fromIpAddress"):
			return refuse("Cant specify from-group, from-network or from-ip-address for outgoing rule")
		case given("toEndpointGroup") && given("toNetwork"):
			return refuse("Cant specify both to-group argument and -to-network for outgoing rule")
		}
	default:
		return refuse("Unknown direction %v: want in or out", direction)
	}
	return nil
}

func newRuleList(f *Factory, k *model.Kind) *cobra.Command {
	s, o, sel := &scope{}, &output{}, &selection{}
	c := &cobra.Command{
		Use: k.Command.Use + "-ls", Aliases: []string{k.Command.Use + "-list"}, Short: "List the rules of a policy",
		Args:              named(model.KindPolicy().Command.Names, 1, false),
		ValidArgsFunction: complete(f, model.KindPolicy(), s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRuleList(cmd.Context(), f, s, o, sel, args[0])
		},
	}
	s.register(c, k)
	o.register(c)
	sel.register(c, k)
	return c
}

// incoming and outgoing are the columns of the two tables of rules.
func incoming() []model.Column {
	return []model.Column{
		{Header: "Rule", Field: "ruleId"}, {Header: "Priority", Field: "priority"},
		{Header: "From EndpointGroup", Field: "fromEndpointGroup"}, {Header: "From Network", Field: "fromNetwork"},
		{Header: "From IpAddress", Field: "fromIpAddress", Dashes: 9}, {Header: "To IpAddress", Field: "toIpAddress", Dashes: 12},
		{Header: "Protocol", Field: "protocol"}, {Header: "Port", Field: "port"}, {Header: "Action", Field: "action"},
	}
}

func outgoing() []model.Column {
	return []model.Column{
		{Header: "Rule", Field: "ruleId"}, {Header: "Priority", Field: "priority"},
		{Header: "To EndpointGroup", Field: "toEndpointGroup"}, {Header: "To Network", Field: "toNetwork"},
		{Header: "To IpAddress", Field: "toIpAddress", Dashes: 9},
		{Header: "Protocol", Field: "protocol"}, {Header: "Port", Field: "port"}, {Header: "Action", Field: "action"},
	}
}

func runRuleList(ctx context.Context, f *Factory, s *scope, o *output, sel *selection, policy string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	of, err := s.find(ctx, c, model.KindPolicy(), policy)
	if err != nil {
		return err
	}
	if _, err := c.Policys().Get(ctx, of...); err != nil {
		return err
	}
	all, err := c.Rules().List(ctx, sel.options()...)
	if err != nil {
		return err
	}
	rules := slices.DeleteFunc(all, func(r *model.Rule) bool { return r.TenantName != of[0] || r.PolicyName != of[1] })
	slices.SortStableFunc(rules, func(a, b *model.Rule) int { return cmp.Compare(a.Priority, b.Priority) })
	if format.Tabular() && format.Sort == "" {
		return writeRules(ctx, f, c, rules, sel.showLabels, format)
	}
	l := &term.Listing{Table: term.Table{Columns: sel.columns(model.KindRule(), format)}, Value: rules}
	hits := newRuleHits(c)
	for _, r := range rules {
		field := r.Field
		if len(hitColumns(r.Kind(), format)) > 0 {
			field = ruleWithHits{r, hits.of(ctx, r)}.Field
		}
		name := r.RuleId
		if format.Name != term.Quiet {
			name = fullName(r.Kind(), r.ObjectKey())
		}
		l.Row(name, term.Row(l.Columns, field))
	}
	return f.print(l, format)
}

func writeRules(ctx context.Context, f *Factory, c *client.Client, rules []*model.Rule, labels bool, format term.Format) error {
	hits := newRuleHits(c)
	for _, part := range []struct {
		title, direction string
		columns          []model.Column
	}{{"Incoming Rules:", "in", incoming()}, {"Outgoing Rules:", "out", outgoing()}} {
		part.columns = append(part.columns, hitColumns(model.KindRule(), format)...)
		if labels {
			part.columns = append(part.columns, model.Column{Header: "Labels", Field: model.LabelsField})
		}
		t := &term.Table{Columns: part.columns}
		for _, r := range rules {
			if r.Direction == part.direction {
				field := r.Field
				if format.Wide() {
					field = ruleWithHits{r, hits.of(ctx, r)}.Field
				}
				t.Add(term.Row(t.Columns, field))
			}
		}
		if err := printf(f.Out, "%s\n", part.title); err != nil {
			return err
		}
		if err := f.table(t, format); err != nil {
			return err
		}
	}
	return nil
}
