// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

type whyOptions struct {
	output
	ask   model.WhyRequest
	steps bool
	at    string
}

func newWhy(f *Factory) *cobra.Command {
	o := &whyOptions{}
	c := &cobra.Command{
		Use: "why FROM TO [tcp|udp|icmp] [PORT]", Short: "Show whether FROM can reach TO, and why",
		Long: "FROM and TO are containers (id, name, or a part of one), pods (NAMESPACE/NAME), groups, hosts or addresses; TO may also be a service, or a " +
			"Kubernetes service (NAMESPACE/NAME). Write KIND/NAME, as in group/web or service/shop/web, if a name is ambiguous: a pod is preferred to a " +
			"service of the same name. Without a protocol the packet is a ping; a port without a protocol is a TCP port. A group means one of its " +
			"containers, or with --all one on each of its hosts. If a name exists in two tenants, the tenant of the other end is used.\n\n" +
			"The verdict of the objects is computed from the rules and the Kubernetes network policies. Then the switches on the path are asked to trace " +
			"the packet and its reply; beyond the switches, the trace follows routes and BGP sessions as far as the host knows them. Only with --probe " +
			"a packet is sent: from within the container, and the reply is compared with the verdict.\n\n" +
			"With --at, the verdict is that of the objects of that moment: its rules, groups, networks and containers. The switches of then cannot be " +
			"asked. Kubernetes network policies of then are not recorded, so the verdict about a pod may be unknown.\n\n" +
			"The exit code is 0 if the packet passes, 11 if it is denied, 12 if objects and switches disagree, 13 if the result is unknown, and 3, as for " +
			"every command, if an end does not exist or netmaster does not answer.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > 4 {
				return term.BadUsage("expected FROM TO [PROTOCOL] [PORT], got %d arguments", len(args))
			}
			return nil
		},
		Example: "  netctl why web db tcp 5432\n  netctl why group/web 8.8.8.8 --all\n  netctl why web db 5432 --at 2h",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ask.From, o.ask.To = args[0], args[1]
			if o.ask.SetTraffic(args[2:]) != nil {
				return term.BadUsage("after FROM and TO: got %q, want a protocol and a port", strings.Join(args[2:], " "))
			}
			return runWhy(cmd.Context(), f, o)
		},
	}
	c.Flags().BoolVarP(&o.json, "json", "j", false, "print JSON, as -o json does")
	o.registerOutput(c, "table")
	c.Flags().StringVarP(&o.ask.Tenant, "tenant", "t", "", "only this tenant")
	c.Flags().StringVarP(&o.ask.Network, "network", "n", "", "only this network")
	c.Flags().BoolVar(&o.ask.All, "all", false, "for a group, use a container on each of its hosts instead of one")
	c.Flags().BoolVar(&o.ask.Probe, "probe", false, "also send a probe packet (requires the right capture)")
	c.Flags().StringVar(&o.at, "at", "", "evaluate the objects of this moment: "+momentUsage)
	c.Flags().BoolVar(&o.steps, "steps", false, "print each flow on the path, as -o wide does")
	return c
}

func runWhy(ctx context.Context, f *Factory, o *whyOptions) error {
	at, err := momentOf(f, "at", o.at)
	switch {
	case err != nil:
		return err
	case at != "" && o.ask.Probe:
		return term.BadUsage("got --probe and --at, want one of them: no packet can be sent at an earlier moment")
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	w, err := c.AsOf(at).Why(ctx, o.ask)
	if err != nil {
		return err
	}
	if format.Tabular() {
		err = writeWhy(f, &w, o.steps || format.Wide())
	} else {
		err = f.answer(answer{names: []string{string(w.Verdict)}, value: w}, format)
	}
	if err != nil {
		return err
	}
	switch w.Verdict {
	case model.VerdictAllowed:
		return nil
	case model.VerdictDenied:
		return term.Outcome(term.Denied)
	case model.VerdictDisagree:
		return term.Outcome(term.Disagree)
	}
	return term.Outcome(term.Unknown)
}

// writeWhy prints the answer as text.
func writeWhy(f *Factory, w *model.Why, steps bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", strings.ToUpper(string(w.Verdict)), w.Text)
	fmt.Fprintf(&b, "from     %s\nto       %s\ntraffic  %s\nobjects  %s: %s\n", &w.From, &w.To, w.Traffic(), w.Intent.Verdict, w.Intent.Text)
	writeEach(&b, w.Each)
	for _, way := range []struct {
		name string
		way  *model.WhyPath
	}{{"there", &w.Forward}, {"back", &w.Reverse}} {
		name := way.name
		for i := range way.way.Hops {
			h := &way.way.Hops[i]
			fmt.Fprintf(&b, "%-8s %s %s\n", name, h.Host, h.Text)
			name = ""
			if !steps {
				continue
			}
			for _, s := range h.Steps {
				fmt.Fprintf(&b, "             %-10s %5d  %s: %s  [%s]\n", s.Table, s.Priority, s.Match, s.Does, s.Owner)
			}
		}
	}
	switch {
	case w.IntentOnly:
		fmt.Fprintf(&b, "sent     no packet: only the objects of %s were evaluated\n", f.stamp(w.At))
	case w.Probe != nil:
		fmt.Fprintf(&b, "sent     %s\n", w.Probe.Text)
	case slices.ContainsFunc(w.Forward.Hops, func(h model.WhyHop) bool { return h.Verdict != model.VerdictUnknown }):
		b.WriteString("sent     no packet: objects and switches were queried\n")
	default: // none has answered
		b.WriteString("sent     no packet: objects were queried\n")
	}
	if c := w.Changed; c != nil {
		fmt.Fprintf(&b, "changed  last %s %s, %s by %s at %s\n", c.Kind, c.Key, c.Verb, c.By, f.stamp(c.At))
	}
	fmt.Fprintf(&b, "next     %s\n", w.Next)
	return f.text(b.String())
}

// writeEach prints the verdicts of the containers that represent groups, one per line.
func writeEach(b *strings.Builder, ways []model.Why) {
	for i := range ways {
		w := &ways[i]
		fmt.Fprintf(b, "path     %s: %s on %s to %s on %s\n", w.Verdict, w.From.Object, w.From.Host, w.To.Object, w.To.Host)
	}
}
