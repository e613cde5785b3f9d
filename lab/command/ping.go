// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

type pingOptions struct {
	six             bool
	count           int
	interval, limit time.Duration
}

func newPing(w *where) *cobra.Command {
	o := &pingOptions{}
	cmd := &cobra.Command{
		Use: "ping FROM TO", Short: "Ping one container from another", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			version := 4
			if o.six {
				version = 6
			}
			seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
			run, err := l.Ping(cmd.Context(), args[0], args[1], version,
				"-c", strconv.Itoa(o.count), "-i", seconds(o.interval), "-W", seconds(o.limit))
			if err != nil {
				return err
			}
			return w.foreground(run)
		},
	}
	cmd.Flags().BoolVarP(&o.six, "ipv6", "6", false, "ping the IPv6 address")
	cmd.Flags().IntVarP(&o.count, "count", "c", 3, "how many times")
	cmd.Flags().DurationVarP(&o.interval, "interval", "i", 200*time.Millisecond, "pause between two")
	cmd.Flags().DurationVarP(&o.limit, "timeout", "W", time.Second, "how long to wait for an answer")
	return cmd
}
