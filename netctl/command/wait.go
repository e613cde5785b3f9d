package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// waiting is the flag --wait of commands that change something.
type waiting struct{ limit time.Duration }

// defaultWait is the limit of --wait without a value.
const defaultWait = 30 * time.Second

func (w *waiting) register(c *cobra.Command) {
	c.Flags().DurationVar(&w.limit, "wait", 0, "wait until every agent has programmed the change, at most this long")
	c.Flags().Lookup("wait").NoOptDefVal = defaultWait.String()
}

// await waits until no agent lags behind the change, and names those that still do when the time is up.
func (w *waiting) await(ctx context.Context, f *Factory, c *client.Client, rev client.Revision) error {
	if w.limit == 0 {
		return nil
	}
	deadline := f.Now().Add(w.limit)
	for {
		nodes, err := c.Nodes(ctx)
		if err != nil {
			return err
		}
		laggards := behind(nodes)
		if len(laggards) == 0 {
			return nil
		}
		if f.Now().After(deadline) {
			return term.Exitf(term.Server, "revision %d is stored, but not programmed after %s by %s", rev, w.limit, strings.Join(laggards, ", "))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func behind(nodes []model.Node) []string {
	var out []string
	for _, n := range nodes {
		switch {
		case n.Role != model.RoleAgent:
		case n.Lag > 0:
			out = append(out, fmt.Sprintf("%s (%d revisions behind)", n.Name, n.Lag))
		case !n.Ready:
			out = append(out, fmt.Sprintf("%s (%s)", n.Name, n.Reason))
		}
	}
	return out
}
