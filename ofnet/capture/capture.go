// SPDX-License-Identifier: Apache-2.0

// Package capture filters packets, describes them in text, and writes and joins files of them in pcapng format
// (https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-01.html).
package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// Source yields packets. Close ends a blocked read.
type Source interface {
	ReadPacketData() (data []byte, ci gopacket.CaptureInfo, err error)
	Close() error
}

// MaxFrame is the maximum length of a frame in bytes, including segments that the kernel has not split yet.
const MaxFrame = 1 << 16

// Limits bound a capture. All must be positive.
type Limits struct {
	Packets int
	Bytes   int64
	For     time.Duration
}

// Interface is the name of a capture point in its file.
func Interface(name, comment string) pcapgo.NgInterface {
	return pcapgo.NgInterface{Name: name, Comment: comment, LinkType: layers.LinkTypeEthernet, TimestampResolution: 9, SnapLength: MaxFrame}
}

// Write writes the packets of src that match f to w until a limit is reached or ctx ends, and closes src. It calls flush after each packet
// that no other follows at once. It returns only errors of src or w.
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
		if !f.Matches(data) {
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
