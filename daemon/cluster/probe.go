// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// Probing: the wait between attempts, and the number of refusals in a row that prove that a process is dead.
const (
	probeDial     = time.Second
	probeRefused  = 40 * time.Millisecond
	probePause    = 250 * time.Millisecond
	probeRefusals = 3
)

// Dialer opens a TCP connection; net.Dialer's DialContext is one.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// probe blocks until the process at address is known to be dead (true) or ctx ends (false).
//
// It holds a connection to the process, which the kernel closes the moment the process dies. A process counts as dead
// when it was once connected and then refuses connections several times in a row: nothing listens there any more.
// Slowness, silence and an unreachable host never count, nor does a process that was never reached, which may be
// alive behind a packet filter.
func probe(ctx context.Context, dial Dialer, address string) bool {
	reached := false
	for refusals := 0; refusals < probeRefusals; {
		pause := probePause
		err := hold(ctx, dial, address)
		switch {
		case ctx.Err() != nil:
			return false
		case err == nil:
			reached, refusals, pause = true, 0, probeRefused
		case errors.Is(err, syscall.ECONNREFUSED) && reached:
			refusals++
			pause = probeRefused
		default:
			refusals = 0
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
	return true
}

// hold connects and, if that works, blocks until the other side ends the connection or ctx ends.
func hold(ctx context.Context, dial Dialer, address string) error {
	dctx, cancel := context.WithTimeout(ctx, probeDial)
	conn, err := dial(dctx, "tcp", address)
	cancel()
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	var b [64]byte
	for {
		if _, err := conn.Read(b[:]); err != nil {
			return nil
		}
	}
}

// prober is a running probe.
type prober struct {
	address string
	cancel  func()
	dead    chan struct{} // closed when the process is dead
	done    chan struct{}
}

// follow probes the process at address, and no other; "" is none.
func (r *race) follow(address string) {
	if r.probe != nil && r.probe.address == address {
		return
	}
	r.stopProbe()
	if address == "" {
		return
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		r.log.Warn(fmt.Sprintf("the lock holder %q is not an address and cannot be probed", address))
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &prober{address: address, cancel: cancel, dead: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		if probe(ctx, r.c.Dial, address) {
			close(p.dead)
		}
	}()
	r.probe = p
}

func (r *race) stopProbe() {
	if r.probe != nil {
		r.probe.cancel()
		<-r.probe.done
		r.probe = nil
	}
}
