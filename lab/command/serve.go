// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

// newServe makes a container serve until the command's input ends.
func newServe(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "serve NAME PORT", Short: "Let a container send its name to every client, over TCP and UDP, until the input ends", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			run, err := l.In(cmd.Context(), args[0], l.Self(), "echo", "serve", args[0], args[1])
			if err != nil {
				return err
			}
			return w.foreground(run)
		},
	}
}

func newAsk(w *where) *cobra.Command {
	var udp bool
	var times int
	var limit time.Duration
	cmd := &cobra.Command{
		Use: "ask FROM ADDRESS:PORT", Short: "Connect to a container that serves and print its name, and the address that it sees", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			network := "tcp"
			if udp {
				network = "udp"
			}
			run, err := l.In(cmd.Context(), args[0], l.Self(), "echo", "ask", network, args[1], strconv.Itoa(times), limit.String())
			if err != nil {
				return err
			}
			return w.foreground(run)
		},
	}
	cmd.Flags().BoolVarP(&udp, "udp", "u", false, "over UDP")
	cmd.Flags().IntVarP(&times, "times", "n", 1, "how often")
	cmd.Flags().DurationVarP(&limit, "timeout", "W", 2*time.Second, "how long each may take")
	return cmd
}
