// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// connectTimeout bounds one connection's opening.
const connectTimeout = 5 * time.Second

// connect opens TCP connections to an address, n at a time, each closed as soon as it is open, and prints their number per second.
func connect(ctx context.Context, to string, atOnce int, d time.Duration, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var opened atomic.Int64
	failed := make([]error, atOnce)
	dialer := net.Dialer{Timeout: connectTimeout}
	began := time.Now()
	var all sync.WaitGroup
	for i := range atOnce {
		all.Go(func() {
			for ctx.Err() == nil && time.Since(began) < d {
				c, err := dialer.DialContext(ctx, "tcp", to)
				if err != nil {
					failed[i] = err
					cancel()
					return
				}
				opened.Add(1)
				_ = c.(*net.TCPConn).SetLinger(0) // a port that waits could not be used again
				_ = c.Close()
			}
		})
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%.1f\n", float64(opened.Load())/time.Since(began).Seconds())
	return err
}
