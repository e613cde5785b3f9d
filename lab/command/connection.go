// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"
)

func newTCP(w *where) *cobra.Command {
	return newConnection(w, "tcp", "Connect one container to another and send a MiB there and back", "how long it may take",
		func() ends { return ends{"listen", "dial"} })
}

// newTalk is newTCP for a connection that stays open.
func newTalk(w *where) *cobra.Command {
	var stream bool
	cmd := newConnection(w, "talk", "Connect one container to another and print a line for every byte that came back, 100 a second",
		"how long the connection may take to open", func() ends {
			if stream {
				return ends{"stream", "hear"}
			}
			return ends{"listen", "talk"}
		})
	cmd.Flags().BoolVarP(&stream, "stream", "s", false, "over UDP: FROM sends one request, and afterwards only TO sends")
	return cmd
}

// ends are the ends of echo that two containers run.
type ends struct{ listen, dial string }

// newConnection returns a command that makes one container listen and runs an end of echo in another.
func newConnection(w *where, name, short, patience string, of func() ends) *cobra.Command {
	var six bool
	var at string
	var limit time.Duration
	cmd := &cobra.Command{
		Use: name + " FROM TO PORT", Short: short, Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			to, err := l.Container(args[1])
			if err != nil {
				return err
			}
			version := 4
			if six {
				version = 6
			}
			address, err := to.IPv(version)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			listen, err := w.start(ctx, l, args[1], of().listen, args[2])
			if err != nil {
				return err
			}
			defer func() { _ = listen.stop() }()
			if _, err := listen.line(); err != nil {
				return fmt.Errorf("listen in %s: %w", args[1], err)
			}
			dial, err := l.In(ctx, args[0], l.Self(), "echo", of().dial,
				cmp.Or(at, net.JoinHostPort(address.String(), args[2])), limit.String())
			if err != nil {
				return err
			}
			return w.foreground(dial)
		},
	}
	cmd.Flags().BoolVarP(&six, "ipv6", "6", false, "use the IPv6 address")
	cmd.Flags().StringVar(&at, "at", "", "ADDRESS:PORT to connect to, such as that of a service; empty for that of TO")
	cmd.Flags().DurationVarP(&limit, "timeout", "W", 5*time.Second, patience)
	return cmd
}
