// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// newDelay delays packets between two hosts until the command's input ends.
func newDelay(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "delay FROM TO DURATION", Short: "Delay the packets of a host to another one in the management network, until the input ends", Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			by, err := time.ParseDuration(args[2])
			if err != nil || by <= 0 {
				return fmt.Errorf("expected a duration such as 600ms, got %q", args[2])
			}
			l, err := w.open()
			if err != nil {
				return err
			}
			ctx, cancel := untilInputEnds(cmd.Context(), w.s.In)
			defer cancel()
			return l.Delay(ctx, args[0], args[1], by, func() { _, _ = fmt.Fprintf(w.s.Out, "packets of %s to %s wait for %v\n", args[0], args[1], by) })
		},
	}
}
