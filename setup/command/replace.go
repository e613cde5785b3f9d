// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

// replaceTTL is the lifetime of contiv replace's token: the operator may have to buy a disk.
const replaceTTL = 7 * 24 * time.Hour

func newReplace() *cobra.Command {
	var p place
	force := false
	cmd := &cobra.Command{
		Use: "replace NAME", Short: "Remove a netmaster whose disk is lost, and print the command with which its host joins again", Args: cobra.ExactArgs(1),
		Long: "Remove the netmaster of host NAME, whose disk is lost, and print the command with which that host, or a new machine in its place, joins again. The member of the embedded " +
			"store is removed and the certificates of the netmaster are revoked. The host's label and addresses, its agent and its containers do not change: endpoints that the machine does " +
			"not have any more are deleted when its agent reports so.\n\n" +
			"A running netmaster is refused. If the machine does not answer, its netmaster may still run, and --force is required.",
		RunE: func(cmd *cobra.Command, args []string) error {
			name, out := args[0], cmd.OutOrStdout()
			c, _, _, err := p.reach()
			if err != nil {
				return err
			}
			gone, err := departed(cmd.Context(), c, model.DepartRequest{Master: name, Lost: true, Force: force})
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(out, "netmaster of %s: %s\n", name, gone.Evidence)
			if gone.Member != "" {
				_, _ = fmt.Fprintf(out, "removed member %s of the store\n", gone.Member)
			}
			_, _ = fmt.Fprintf(out, "revoked %d certificates; label, addresses and endpoints of %s stay\n", len(gone.Revoked), name)
			if gone.Members > 0 {
				_, _ = fmt.Fprintf(out, "%d members remain, and %s until %s has joined\n", gone.Members, needed(gone.Members), name)
			}
			once := 1
			made, err := c.MakeJoinToken(cmd.Context(), model.JoinTokenRequest{Masters: true, Replaces: name, Uses: &once, TTL: replaceTTL.String()})
			if err != nil {
				return fmt.Errorf("%w; contiv replace %s continues from there", err, name)
			}
			_, err = fmt.Fprintf(out, "\nOn %s, until %s:\n\n  %s\n", name, moment(made.Expires), joinCommand(made, true))
			return err
		},
	}
	p.flags(cmd.Flags())
	cmd.Flags().BoolVar(&force, "force", false, "continue even if the machine does not answer, so that its netmaster may still run")
	return cmd
}

// Times of a registration: it expires ten seconds after its netmaster has ended, also in a restored store.
const (
	registrationTimeout = 15 * time.Second
	registrationPause   = time.Second
)

// departed removes a lost netmaster. It retries while the request is refused because the netmaster is registered, until a
// registration of the lost netmaster must have expired. It blocks until then.
func departed(ctx context.Context, c *client.Client, q model.DepartRequest) (model.Departed, error) {
	tick := time.NewTicker(registrationPause)
	defer tick.Stop()
	for end := time.Now().Add(registrationTimeout); ; {
		out, err := c.Depart(ctx, q)
		if err == nil || model.AsError(err).Code != model.CodeInUse || time.Now().After(end) {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, err
		case <-tick.C:
		}
	}
}

// needed returns how many members of a store must run.
func needed(members int) string {
	if majority := members/2 + 1; majority < members {
		return fmt.Sprintf("%d of them must run", majority)
	}
	return "all of them must run"
}
