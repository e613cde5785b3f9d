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
	now   bool // agents look at once
	watch bool
}

func newDoctor(f *Factory) *cobra.Command {
	o := &doctorOptions{now: true}
	c := &cobra.Command{
		Use: "doctor [HOST|ENDPOINT|SERVICE]", Short: "What is wrong, about which object, and what to do",
		Long: "All agents look at their hosts at once, for two seconds at most: at the switch, at the underlay, at the way out, and at the interfaces " +
			"of containers where these see them. With that comes what netmasters know: leader, store, lag, drift, services without providers, pools. " +
			"docs/findings.md lists all codes. The exit code is 0 when nothing is wrong, 1 with warnings, or what is not known, alone, and 2 with " +
			"errors; a wrong argument ends with 1, too, and an answer that did not come with 3.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return term.BadUsage("one argument wanted at most (HOST, ENDPOINT or SERVICE), got %d", len(args))
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
	c.Flags().BoolVar(&o.watch, "watch", false, "look again every five seconds, until interrupted")
	return c
}

func newStatus(f *Factory) *cobra.Command {
	o := &doctorOptions{}
	c := &cobra.Command{
		Use: "status", Short: "What is wrong in the cluster, as it is known",
		Long: "The findings that agents have reported by themselves and that netmasters have made, as the console shows them; no agent is asked. " +
			"Exit codes are those of netctl doctor, which has all agents look at once.",
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), f, o) },
	}
	o.register(c)
	return c
}

// watchEvery is how often doctor --watch looks.
const watchEvery = 5 * time.Second

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
			err = showHealth(f, &h, format)
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
		case <-time.After(watchEvery):
		}
	}
}

// outcome is the exit code of a verdict.
func outcome(h *model.Health) error {
	switch h.Worst() {
	case "":
		return nil
	case model.SeverityError:
		return term.Outcome(term.Broken)
	}
	return term.Outcome(term.Warned)
}
