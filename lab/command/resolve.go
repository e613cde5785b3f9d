// SPDX-License-Identifier: Apache-2.0

package command

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/lab"
)

// newResolve queries a name server from inside a container.
func newResolve(w *where) *cobra.Command {
	var limit time.Duration
	var stream bool
	cmd := &cobra.Command{
		Use: "resolve FROM SERVER NAME [TYPE]", Short: "Ask a name server from inside a container, once", Args: cobra.RangeArgs(3, 4),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			kind := "A"
			if len(args) == 4 {
				kind = args[3]
			}
			protocol := "udp"
			if stream {
				protocol = "tcp"
			}
			run, err := l.In(cmd.Context(), args[0], l.Self(), "dns", "ask", args[1], args[2], kind, limit.String(), protocol)
			if err != nil {
				return err
			}
			return w.foreground(run)
		},
	}
	cmd.Flags().BoolVar(&stream, "tcp", false, "ask over TCP")
	cmd.Flags().DurationVarP(&limit, "timeout", "W", 2*time.Second, "how long to wait for the answer")
	return cmd
}

// newDNS has the ends of the command ask: the client in the container, and a name server for another.
func newDNS(w *where) *cobra.Command {
	cmd := &cobra.Command{Use: "dns", Hidden: true}
	cmd.AddCommand(
		&cobra.Command{Use: "ask SERVER NAME TYPE TIMEOUT NETWORK", Args: cobra.ExactArgs(5), RunE: func(cmd *cobra.Command, args []string) error {
			limit, err := time.ParseDuration(args[3])
			if err != nil {
				return err
			}
			return lab.Resolve(cmd.Context(), args[4], args[0], args[1], args[2], limit, w.s.Out)
		}},
		&cobra.Command{Use: "serve ADDRESS", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			ctx, cancel := untilInputEnds(cmd.Context(), w.s.In)
			defer cancel()
			return lab.NameServer(ctx, args[0], w.s.Out)
		}},
	)
	return cmd
}
