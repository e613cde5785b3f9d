// SPDX-License-Identifier: Apache-2.0

package openflow_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/openflow"
)

// A listing that its caller gives up while a piece of the answer is being taken returns after that: what takes it may belong to the caller.
func TestGivenUpListing(t *testing.T) {
	for _, how := range []string{"context", "close"} {
		t.Run(how, func(t *testing.T) {
			nc := peer(t, func(c net.Conn) {
				_ = shake(c)
				for {
					xid, m, err := readMessage(c)
					if err != nil {
						return
					}
					if m.Type() == openflow.TypeMultipartRequest {
						piece := []byte{4, 19, 0, 16, 0, 0, 0, 0, 0, 3, 0, 1, 0, 0, 0, 0} // OpenFlow 1.3.5 section 7.3.5: tables, more to come
						binary.BigEndian.PutUint32(piece[4:], xid)
						_, _ = c.Write(piece)
						_, _ = c.Write(piece)
					}
				}
			})
			c, err := openflow.NewConn(within(t), nc, openflow.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var taking atomic.Bool
			pieces := 0
			err = c.List(ctx, &openflow.MultipartRequest{Part: openflow.PartTable}, func(*openflow.MultipartReply) {
				taking.Store(true)
				pieces++
				if how == "close" {
					_ = c.Close()
				} else {
					cancel()
				}
				<-time.After(50 * time.Millisecond) // which the caller would not wait for
				taking.Store(false)
			})
			if taking.Load() || pieces != 1 {
				t.Errorf("when List has returned: want 1 piece taken, got %d, and one being taken %t", pieces, taking.Load())
			}
			if !errors.Is(err, context.Canceled) && !errors.Is(err, openflow.ErrClosed) {
				t.Errorf("want the reason, got %v", err)
			}
		})
	}
}
