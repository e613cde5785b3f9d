package cluster

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

// Probing: how long to wait between attempts, and how many refusals in a row tell that a process is dead.
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
