package command

import (
	"context"
	"fmt"
	"io"
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
}

func newWhy(f *Factory) *cobra.Command {
	o := &whyOptions{}
	c := &cobra.Command{
		Use: "why FROM TO [tcp|udp|icmp] [PORT]", Short: "Whether FROM reaches TO, and why: by the objects, and by the switches",
		Long: "FROM and TO are containers (id, name, or a part of them), pods (NAMESPACE/NAME), groups (one of their containers stands in), hosts or addresses; TO may " +
			"be a service, of Kubernetes too (NAMESPACE/NAME). KIND/NAME, as in group/web or service/shop/web, says which is meant: a pod counts before a service of its name. Without a protocol it is a ping; a port alone is of tcp. The verdict " +
			"of the objects is worked out from the rules and the network policies of Kubernetes; then the switches on the way are asked what they would do with the packet, and " +
			"with its answer; what leaves them is followed as far as the host knows a route, or a BGP session. No packet is sent, unless --probe says so: then the sender's host sends one " +
			"from within the container, and what comes back is compared with the verdict. A group means one of its containers, or with --all one on each of its hosts. What one end leaves " +
			"open, as a name that two tenants have, is meant as of the other end's tenant. The exit code is 0 when it passes, 11 when it is denied, 12 when objects and switches " +
			"disagree, 13 when it cannot be told; 3, as of every command, when there is no such end or netmaster does not answer.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > 4 {
				return term.BadUsage("2 to 4 arguments wanted (FROM, TO, protocol, port), got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ask.From, o.ask.To = args[0], args[1]
			if o.ask.SetTraffic(args[2:]) != nil {
				return term.BadUsage("want a protocol and a port after FROM and TO, got %q", strings.Join(args[2:], " "))
			}
			return runWhy(cmd.Context(), f, o)
		},
	}
	c.Flags().BoolVarP(&o.json, "json", "j", false, "print JSON, as -o json does")
	c.Flags().StringVarP(&o.format, "output", "o", "table", "table, wide, json, yaml or jsonpath=TEMPLATE")
	c.Flags().StringVarP(&o.ask.Tenant, "tenant", "t", "", "of this tenant alone")
	c.Flags().StringVarP(&o.ask.Network, "network", "n", "", "of this network alone")
	c.Flags().BoolVar(&o.ask.All, "all", false, "of a group, a container on each of its hosts instead of one")
	c.Flags().BoolVar(&o.ask.Probe, "probe", false, "send a packet, too; it takes the right to capture")
	c.Flags().BoolVar(&o.steps, "steps", false, "print each flow on the way, as -o wide does")
	return c
}

func runWhy(ctx context.Context, f *Factory, o *whyOptions) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	w, err := c.Why(ctx, o.ask)
	if err != nil {
		return err
	}
	if format.Tabular() {
		err = writeWhy(f.Out, &w, o.steps || format.Wide())
	} else {
		err = local(format.Write(f.Out, w))
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

// writeWhy prints the answer for people.
func writeWhy(out io.Writer, w *model.Why, steps bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", strings.ToUpper(string(w.Verdict)), w.Text)
	fmt.Fprintf(&b, "from     %s\nto       %s\ntraffic  %s\nobjects  %s: %s\n", &w.From, &w.To, w.Traffic(), w.Intent.Verdict, w.Intent.Text)
	writeEach(&b, w.Each)
	for _, way := range []struct {
		name string
		way  *model.WhyWay
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
	case w.Probe != nil:
		fmt.Fprintf(&b, "sent     %s\n", w.Probe.Text)
	case slices.ContainsFunc(w.Forward.Hops, func(h model.WhyHop) bool { return h.Verdict != model.VerdictUnknown }):
		b.WriteString("sent     nothing: objects and switches were asked\n")
	default: // none has answered
		b.WriteString("sent     nothing: objects were asked\n")
	}
	if c := w.Changed; c != nil {
		fmt.Fprintf(&b, "changed  last %s %s, %s by %s at %s\n", c.Kind, c.Key, c.Verb, c.By, stamp(c.At))
	}
	fmt.Fprintf(&b, "next     %s\n", w.Next)
	return printf(out, "%s", b.String())
}

// writeEach prints the verdicts of the containers that stand in for groups, a line each.
func writeEach(b *strings.Builder, ways []model.Why) {
	for i := range ways {
		w := &ways[i]
		fmt.Fprintf(b, "way      %s: %s on %s to %s on %s\n", w.Verdict, w.From.Object, w.From.Host, w.To.Object, w.To.Host)
	}
}
