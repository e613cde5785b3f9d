package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
	"github.com/contiv/contiv/ofnet/capture"
)

type captureOptions struct {
	ask  model.CaptureRequest
	ends []string
	file string
}

func newCapture(f *Factory) *cobra.Command {
	o := &captureOptions{}
	c := &cobra.Command{
		Use: "capture END [END]", Short: "Packets of a container, or between two of them at both ends",
		Long: "Packets are taken on the host, at the interface of each END that is a container (or a group, for which one of its containers stands " +
			"in). With two ENDs, packets between them alone; the second may be a service, a host or an address, and is then not " +
			"an interface to take packets at. They are printed, or written as pcapng with -w: an interface for each end, whose comment " +
			"names endpoint and host. A filter is " + capture.FilterHelp + ". It ends after -c packets, after --seconds, or with ctrl-C.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return term.BadUsage("1 or 2 arguments wanted (END, END), got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ends = args
			return runCapture(cmd.Context(), f, o)
		},
	}
	c.Flags().StringVarP(&o.ask.Tenant, "tenant", "t", "", "of this tenant alone")
	c.Flags().StringVarP(&o.ask.Network, "network", "n", "", "of this network alone")
	c.Flags().StringVar(&o.ask.Host, "host", "", "at ends on this host alone")
	c.Flags().StringVar(&o.ask.Filter, "filter", "", "packets that meet these conditions alone")
	c.Flags().IntVarP(&o.ask.Packets, "count", "c", 0, fmt.Sprintf("packets of each end, %d at most", model.CapturePackets))
	c.Flags().IntVar(&o.ask.Seconds, "seconds", 60, fmt.Sprintf("for how long, %d at most", model.CaptureSeconds))
	c.Flags().StringVarP(&o.file, "write", "w", "", "write pcapng to this file; - is the standard output")
	return c
}

// tap is one end at which packets are taken.
type tap struct {
	stream io.ReadCloser
	reader *pcapgo.NgReader
	at     pcapgo.NgInterface
}

// taps opens the streams: of the first end, and of the second when it is a container too.
func (o *captureOptions) taps(ctx context.Context, c *client.Client) (out []tap, err error) {
	defer func() {
		if err != nil {
			closeAll(out)
		}
	}()
	for i, name := range o.ends {
		ask := o.ask
		ask.Of = name
		if len(o.ends) == 2 {
			ask.Peer = o.ends[1-i]
		}
		stream, err := c.Capture(ctx, ask)
		var no *model.Error
		if errors.As(err, &no) && (no.Field == "of" && no.Code == model.CodeInvalid && i > 0 || no.Field == "host" && no.Code == model.CodeNotFound && len(o.ends) == 2) {
			continue // it is no container, or not on that host
		}
		if err != nil {
			return out, err
		}
		out = append(out, tap{stream: stream})
		p := &out[len(out)-1]
		if p.reader, err = pcapgo.NewNgReader(stream, pcapgo.NgReaderOptions{}); err != nil {
			return out, fmt.Errorf("read the capture of %s: %w", name, err)
		}
		if p.at, err = p.reader.Interface(0); err != nil {
			return out, fmt.Errorf("read the capture of %s: %w", name, err)
		}
		p.at = capture.Interface(p.at.Name, p.at.Comment)
	}
	if len(out) == 0 {
		return nil, term.Exitf(term.Server, "no end is on host %s", o.ask.Host)
	}
	return out, nil
}

func closeAll(list []tap) {
	for _, p := range list {
		_ = p.stream.Close() // it was only read
	}
}

func runCapture(ctx context.Context, f *Factory, o *captureOptions) (err error) {
	c, err := f.client()
	if err != nil {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	list, err := o.taps(ctx, c)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer closeAll(list)
	for _, p := range list {
		fmt.Fprintf(f.Err, "capturing at %s\n", p.at.Comment)
	}
	take := func(i int, ci gopacket.CaptureInfo, data []byte) error {
		return printf(f.Out, "%s %s: %s\n", ci.Timestamp.UTC().Format("15:04:05.000000"), list[i].at.Comment, capture.Line(data))
	}
	if o.file != "" {
		out := f.Out
		if o.file != "-" {
			file, err := os.Create(o.file)
			if err != nil {
				return local(err)
			}
			defer func() { err = errors.Join(err, local(file.Close())) }()
			out = file
		}
		w, err := pcapgo.NewNgWriterInterface(out, list[0].at, pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "netctl capture"}})
		if err != nil {
			return local(err)
		}
		for _, p := range list[1:] {
			if _, err := w.AddInterface(p.at); err != nil {
				return local(err)
			}
		}
		take = func(i int, ci gopacket.CaptureInfo, data []byte) error {
			ci.InterfaceIndex = i
			return local(errors.Join(w.WritePacket(ci, data), w.Flush()))
		}
		if err := local(w.Flush()); err != nil {
			return err
		}
	}
	return merge(ctx, list, take)
}

// merge gives take the packets of all taps as they come, one at a time, until all have ended.
func merge(ctx context.Context, list []tap, take func(i int, ci gopacket.CaptureInfo, data []byte) error) error {
	var turn sync.Mutex
	var wait sync.WaitGroup
	errs := make([]error, len(list))
	for i := range list {
		wait.Go(func() {
			for {
				data, ci, err := list[i].reader.ReadPacketData()
				if errors.Is(err, io.EOF) || err != nil && ctx.Err() != nil {
					return
				}
				if err != nil {
					errs[i] = fmt.Errorf("%s: the capture broke off: %w", list[i].at.Comment, err)
					return
				}
				turn.Lock()
				err = take(i, ci, data)
				turn.Unlock()
				if err != nil {
					errs[i] = err
					closeAll(list)
					return
				}
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}
