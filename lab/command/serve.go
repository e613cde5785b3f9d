package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/lab"
)

func newLabel(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "label NAME [KEY=VALUE...]", Short: "Tell the masters a container's labels; without any, that it has died", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			labels := map[string]string{}
			for _, word := range args[1:] {
				k, v, ok := strings.Cut(word, "=")
				if !ok {
					return fmt.Errorf("label %q: KEY=VALUE is wanted", word)
				}
				labels[k] = v
			}
			return l.Label(cmd.Context(), args[0], labels)
		},
	}
}

// newServe has a container serve until the command's input ends.
func newServe(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "serve NAME PORT", Short: "Have a container tell its name to everybody who connects, over TCP and UDP", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			run, err := l.In(cmd.Context(), args[0], l.Self(), "lab", "echo", "serve", args[0], args[1])
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
			run, err := l.In(cmd.Context(), args[0], l.Self(), "lab", "echo", "ask", network, args[1], strconv.Itoa(times), limit.String())
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
			ctx := cmd.Context()
			gauge, err := l.In(ctx, args[1], l.Self(), "lab", "echo", "gauge")
			if err != nil {
				return err
			}
			gauge.Stderr = w.s.Err
			out, err := gauge.StdoutPipe()
			if err != nil {
				return err
			}
			hold, err := gauge.StdinPipe()
			if err != nil {
				return err
			}
			if err := gauge.Start(); err != nil {
				return err
			}
			defer hold.Close()
			lines := bufio.NewReader(out)
			if _, err := lines.ReadString('\n'); err != nil {
				return fmt.Errorf("listen in %s: %w", args[1], err)
			}
			flood, err := l.In(ctx, args[0], l.Self(), "lab", "echo", "flood", address.String(), args[2])
			if err != nil {
				return err
			}
			stop, err := flood.StdinPipe()
			if err != nil {
				return err
			}
			flood.Stderr = w.s.Err
			if err := flood.Start(); err != nil {
				return err
			}
			line, err := lines.ReadString('\n')
			_ = stop.Close()
			if failed := flood.Wait(); err == nil {
				err = failed
			}
			if failed := gauge.Wait(); err == nil || failed != nil {
				err = failed
			}
			fmt.Fprint(w.s.Out, line)
			return err
		},
	}
}

// untilInputEnds is ctx until in ends: to kill the process in a container would leave it alive, since the one here is only
// its parent.
func untilInputEnds(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	return ctx, cancel
}

// newEnds are the ends of serve, ask and rate, inside of containers.
func newEnds(w *where) []*cobra.Command {
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
