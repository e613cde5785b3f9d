// Package capture takes packets from network interfaces and writes them as pcapng
// (https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-01.html).
package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/contiv/contiv/ofnet/link"
)

// Source yields packets; Close ends a read that waits for one.
type Source interface {
	ReadPacketData() (data []byte, ci gopacket.CaptureInfo, err error)
	Close() error
}

// Open opens a packet socket at an interface of the network namespace at path, "" for the process's own. It sees what the
// interface sends and receives. It does not block.
func Open(path, ifname string) (Source, error) {
	ns, err := link.OpenNamespace(path)
	if err != nil {
		return nil, err
	}
	defer ns.Close()
	var h *pcapgo.EthernetHandle
	err = ns.Do(func() error {
		if _, err := net.InterfaceByName(ifname); err != nil {
			return err // pcapgo does not close its socket when that fails late
		}
		var err error
		h, err = pcapgo.NewEthernetHandle(ifname)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("capture at %s: %w", ifname, err)
	}
	if err := h.SetCaptureLength(mostFrame); err != nil {
		return nil, fmt.Errorf("capture at %s: %w", ifname, errors.Join(err, h.Close()))
	}
	return h, nil
}

// mostFrame is as long as a frame gets, with segments that the kernel has not cut yet.
const mostFrame = 1 << 16

// Limits bound a capture. All must be positive.
type Limits struct {
	Packets int
	Bytes   int64
	For     time.Duration
}

// Interface names the place of a capture in its file.
func Interface(name, comment string) pcapgo.NgInterface {
	return pcapgo.NgInterface{Name: name, Comment: comment, LinkType: layers.LinkTypeEthernet, TimestampResolution: 9, SnapLength: mostFrame}
}

// Write writes the packets of src that f takes to w until a limit is reached or ctx ends, and closes src. After each
// packet that no other follows at once it calls flush. It returns an error only of src or w.
func Write(ctx context.Context, src Source, at pcapgo.NgInterface, f Filter, l Limits, w io.Writer, flush func() error) error {
	ctx, cancel := context.WithTimeout(ctx, l.For)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = src.Close() })
	defer func() {
		if stop() {
			_ = src.Close()
		}
	}()
	out, err := pcapgo.NewNgWriterInterface(w, at, pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "contiv"}})
	if err != nil {
		return fmt.Errorf("write the capture of %s: %w", at.Name, err)
	}
	sent := func() error { return errors.Join(out.Flush(), flush()) }
	if err := sent(); err != nil {
		return fmt.Errorf("write the capture of %s: %w", at.Name, err)
	}
	var bytes int64
	for packets := 0; packets < l.Packets; {
		data, ci, err := src.ReadPacketData()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read packets of %s: %w", at.Name, err)
		}
		if !f.Takes(data) {
			continue
		}
		if bytes += int64(len(data)); bytes > l.Bytes {
			return nil
		}
		packets++
		ci.InterfaceIndex = 0
		if err := errors.Join(out.WritePacket(ci, data), sent()); err != nil {
			return fmt.Errorf("write the capture of %s: %w", at.Name, err)
		}
	}
	return nil
}
