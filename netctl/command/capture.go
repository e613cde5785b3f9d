// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

type captureOptions struct {
	ask  model.CaptureRequest
	file string
}

func newCapture(f *Factory) *cobra.Command {
	o := &captureOptions{}
	c := &cobra.Command{
		Use: "capture END [END]", Short: "Capture packets of a container, or between two containers",
		Long: "Packets are captured on the host, at the interface of each END that is a container; a group means one of its containers. With two ENDs, " +
			"only packets between them are captured. The second END may also be a service, a host or an address, which is not a capture point. " +
			"Packets are printed, or written as pcapng with -w, with an interface for each END whose comment names endpoint and host. " +
			"A filter is " + model.CaptureFilter + ". The capture ends after -c packets, after --seconds, or with ctrl-C.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return term.BadUsage("expected END [END], got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ask.Of = args[0]
			if len(args) == 2 {
				o.ask.Peer, o.ask.Both = args[1], true
			}
			return runCapture(cmd.Context(), f, o)
		},
	}
	c.Flags().StringVarP(&o.ask.Tenant, "tenant", "t", "", "only this tenant")
	c.Flags().StringVarP(&o.ask.Network, "network", "n", "", "only this network")
	c.Flags().StringVar(&o.ask.Host, "host", "", "capture only on this host")
	c.Flags().StringVar(&o.ask.Filter, "filter", "", "only packets that match this filter")
	c.Flags().IntVarP(&o.ask.Packets, "count", "c", 0, fmt.Sprintf("number of packets per END, at most %d", model.CapturePackets))
	c.Flags().IntVar(&o.ask.Seconds, "seconds", 60, fmt.Sprintf("duration in seconds, at most %d", model.CaptureSeconds))
	c.Flags().StringVarP(&o.file, "write", "w", "", "write pcapng to this file (-: standard output)")
	return c
}

func runCapture(ctx context.Context, f *Factory, o *captureOptions) (err error) {
	c, err := f.client()
	if err != nil {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	o.ask.Lines = o.file == ""
	packets, err := c.Capture(ctx, o.ask)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer func() { _ = packets.Close() }()
	for _, at := range packets.At {
		fmt.Fprintf(f.Err, "capturing at %s\n", at)
	}
	out := f.Out
	switch o.file {
	case "":
	case "-":
		out = f.raw
	default:
		file, err := createPrivate(o.file)
		if err != nil {
			return local(err)
		}
		defer func() { err = errors.Join(err, local(file.Close())) }()
		out = file
	}
	_, err = io.Copy(localWriter{out}, packets)
	var exit *term.Exit
	switch {
	case errors.As(err, &exit):
		return err
	case err == nil || ctx.Err() != nil:
		return nil
	}
	return fmt.Errorf("the capture was interrupted: %w", err)
}

// localWriter marks its errors as local ones.
type localWriter struct{ io.Writer }

// Write writes p.
func (w localWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	return n, local(err)
}
