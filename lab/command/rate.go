// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/lab"
)

func newRate(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "rate FROM TO MBPS", Short: "Send UDP at a rate from one container to another, and print at which rate it arrives, in Mbit/s",
		Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			to, err := l.Container(args[1])
			if err != nil {
				return err
			}
			address, err := to.IPv(4)
			if err != nil {
				return err
			}
			line, err := runRate(cmd.Context(), w, l, args[0], args[1], address.String(), args[2])
			fmt.Fprint(w.s.Out, line)
			return err
		},
	}
}

// runRate floods one container from another and returns the measurement of the receiver.
func runRate(ctx context.Context, w *where, l *lab.Lab, from, to, address, mbps string) (line string, err error) {
	gauge, err := w.start(ctx, l, to, "gauge")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, gauge.stop()) }()
	if _, err := gauge.line(); err != nil {
		return "", fmt.Errorf("listen in %s: %w", to, err)
	}
	flood, err := w.start(ctx, l, from, "flood", address, mbps)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, flood.stop()) }()
	return gauge.line()
}
