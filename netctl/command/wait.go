// SPDX-License-Identifier: Apache-2.0

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
	c.Flags().DurationVar(&w.limit, "wait", 0, "wait until every agent has programmed the change, for at most this time")
	c.Flags().Lookup("wait").NoOptDefVal = defaultWait.String()
}

// How long await pauses between requests: a minimum, and a multiple of the time of the answer, so that large clusters are not asked all the
// time.
const (
	waitPause = 50 * time.Millisecond
	waitShare = 4
)

// await waits until no agent lags behind the change, and names those that do at the timeout.
func (w *waiting) await(ctx context.Context, f *Factory, c *client.Client, rev client.Revision) error {
	if w.limit == 0 {
		return nil
	}
	deadline := f.Now().Add(w.limit)
	for {
		asked := f.Now()
		nodes, err := c.Nodes(ctx)
		if err != nil {
			return err
		}
		laggards := behind(nodes)
		f.progress.Describe("waiting for " + strings.Join(laggards, ", "))
		if len(laggards) == 0 {
			return nil
		}
		if f.Now().After(deadline) {
			return term.Exitf(term.Behind, "revision %d is stored, but not programmed after %s by %s", rev, w.limit, strings.Join(laggards, ", "))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(waitPause, waitShare*f.Now().Sub(asked))):
		}
	}
}

// behind returns the agents that lag, or whose state is unknown, each with the lag and the reason. It ignores agents that are down: they
// apply missed changes before their hosts carry more.
func behind(nodes []model.Node) []string {
	var out []string
	for _, n := range nodes {
		if n.Role != model.RoleAgent || n.Down || n.Lag == 0 && n.Ready {
			continue
		}
		var why []string
		switch {
		case n.Lag == 1:
			why = append(why, "1 revision behind")
		case n.Lag > 1:
			why = append(why, fmt.Sprintf("%d revisions behind", n.Lag))
		}
		if n.Reason != "" {
			why = append(why, n.Reason)
		}
		out = append(out, fmt.Sprintf("%s (%s)", n.Name, strings.Join(why, ", ")))
	}
	return out
}
