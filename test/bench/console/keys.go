// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/test/bench/report"
)

const (
	linkTrip   = 200 * time.Millisecond // there and back
	keyLimit   = 50 * time.Millisecond
	keySamples = 60
)

// keys measures how long after a key the console writes to its terminal, with a slow link between the console and netmaster.
func keys(ctx context.Context, t *report.Table, bin, url string, size sizes) error {
	ctx, cancel := context.WithCancel(ctx)
	var link sync.WaitGroup
	defer link.Wait()
	defer cancel()
	far, err := slowLink(ctx, &link, strings.TrimPrefix(url, "http://"), linkTrip/2)
	if err != nil {
		return err
	}
	terminal, err := openTerminal(160, 50)
	if err != nil {
		return err
	}
	defer terminal.close()
	_, end, err := terminal.start(ctx, bin, "--netmaster", "http://"+far, "--theme", "dark", "--screen", "endpoints")
	if err != nil {
		return err
	}
	defer end()
	if _, err := terminal.wait(time.Now(), "web-00"); err != nil {
		return err
	}
	var took []time.Duration
	for i := range keySamples {
		time.Sleep(300 * time.Millisecond)
		terminal.clear()
		begin := time.Now()
		if _, err := terminal.master.WriteString([]string{"j", "1", "3", "8", "j"}[i%5]); err != nil {
			return err
		}
		d, err := terminal.wait(begin, "")
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	p99 := report.Percentile(took, 99)
	t.Add(report.Row{What: fmt.Sprintf("from a key to the screen, %d endpoints, netmaster behind a round trip of %v, p50 / p99", size.endpoints, linkTrip),
		Ours: report.Millis(report.Median(took)) + " / " + report.Millis(p99), Target: "p99 <= " + report.Millis(keyLimit), Met: p99 <= keyLimit})
	return nil
}

// slowLink returns an address whose connections lead to another, each direction delayed, until ctx ends.
func slowLink(ctx context.Context, work *sync.WaitGroup, to string, delay time.Duration) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	work.Go(func() { <-ctx.Done(); _ = l.Close() })
	work.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer near.Close()
				time.Sleep(2 * delay) // the connection's own round trip
				far, err := new(net.Dialer).DialContext(ctx, "tcp", to)
				if err != nil {
					return
				}
				defer far.Close()
				stop := context.AfterFunc(ctx, func() { _, _ = near.Close(), far.Close() })
				defer stop()
				var both sync.WaitGroup
				both.Go(func() { carry(far, near, delay) })
				both.Go(func() { carry(near, far, delay) })
				both.Wait()
			})
		}
	})
	return l.Addr().String(), nil
}

// carry copies a stream, each piece after a delay, and closes the other end with it.
func carry(to io.WriteCloser, from io.Reader, delay time.Duration) {
	type piece struct {
		due  time.Time
		text []byte
	}
	pieces := make(chan piece, 1024)
	go func() {
		defer close(pieces)
		for {
			b := make([]byte, 64<<10)
			n, err := from.Read(b)
			if n > 0 {
				pieces <- piece{time.Now().Add(delay), b[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	defer to.Close()
	for p := range pieces {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.text); err != nil {
			for range pieces { // until the other end closes
			}
			return
		}
	}
}
