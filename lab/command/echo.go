// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/lab"
)

// newEcho has the commands that run inside containers: the ends of tcp, talk, serve, ask and rate, and the sender of frames.
func newEcho(w *where) *cobra.Command {
	cmd := &cobra.Command{Use: "echo", Hidden: true}
	listener := func(name string, run func(ctx context.Context, port int, out io.Writer) error) *cobra.Command {
		return &cobra.Command{Use: name + " PORT", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			port, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			ctx, cancel := untilInputEnds(cmd.Context(), w.s.In)
			defer cancel()
			return run(ctx, port, w.s.Out)
		}}
	}
	dialer := func(name string, run func(ctx context.Context, address string, limit time.Duration, out io.Writer) error) *cobra.Command {
		return &cobra.Command{Use: name + " ADDRESS TIMEOUT", Args: cobra.ExactArgs(2), RunE: func(cmd *cobra.Command, args []string) error {
			limit, err := time.ParseDuration(args[1])
			if err != nil {
				return err
			}
			return run(cmd.Context(), args[0], limit, w.s.Out)
		}}
	}
	dial := func(ctx context.Context, address string, limit time.Duration, _ io.Writer) error {
		return lab.EchoDial(ctx, address, limit)
	}
	cmd.AddCommand(listener("listen", lab.EchoOnce), listener("stream", lab.StreamOnce),
		dialer("dial", dial), dialer("talk", lab.EchoTalk), dialer("hear", lab.Listen))
	cmd.AddCommand(&cobra.Command{Use: "frame INTERFACE HEX", Args: cobra.ExactArgs(2), RunE: func(_ *cobra.Command, args []string) error {
		frame, err := hex.DecodeString(args[1])
		if err != nil {
			return err
		}
		return lab.SendFrame(args[0], frame)
	}})
	cmd.AddCommand(servingEnds(w)...)
	cmd.AddCommand(rateEnds(w)...)
	return cmd
}
func servingEnds(w *where) []*cobra.Command {
	return []*cobra.Command{
		{Use: "serve NAME PORT", Args: cobra.ExactArgs(2), RunE: func(cmd *cobra.Command, args []string) error {
			port, err := strconv.Atoi(args[1])
			if err != nil {
				return err
			}
			ctx, cancel := untilInputEnds(cmd.Context(), w.s.In)
			defer cancel()
			return lab.Serve(ctx, args[0], port, w.s.Out)
		}},
		{Use: "ask NETWORK ADDRESS TIMES TIMEOUT", Args: cobra.ExactArgs(4), RunE: func(cmd *cobra.Command, args []string) error {
			times, err := strconv.Atoi(args[2])
			if err != nil {
				return err
			}
			limit, err := time.ParseDuration(args[3])
			if err != nil {
				return err
			}
			for range times {
				said, err := lab.Ask(cmd.Context(), args[0], args[1], limit)
				if err != nil {
					return err
				}
				fmt.Fprintln(w.s.Out, said)
			}
			return nil
		}},
	}
}

func rateEnds(w *where) []*cobra.Command {
	return []*cobra.Command{
		{Use: "flood ADDRESS MBPS", Args: cobra.ExactArgs(2), RunE: func(cmd *cobra.Command, args []string) error {
			mbps, err := strconv.ParseFloat(args[1], 64)
			if err != nil {
				return err
			}
			ctx, cancel := untilInputEnds(cmd.Context(), w.s.In)
			defer cancel()
			return lab.Flood(ctx, args[0], mbps)
		}},
		{Use: "gauge", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := untilInputEnds(cmd.Context(), w.s.In)
			defer cancel()
			mbps, err := lab.Gauge(ctx, w.s.Out)
			if err != nil {
				return err
			}
			fmt.Fprintf(w.s.Out, "%.2f Mbit/s\n", mbps)
			return nil
		}},
	}
}
