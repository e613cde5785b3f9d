// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// drainInterval is the interval at which a drain is renewed and the containers are counted: netmasters end a drain that is not
// renewed for 15 seconds.
const drainInterval = 2 * time.Second

// drain has the host accept no new containers, and blocks until its containers are deleted. On failure the host accepts containers
// again.
func (l *Leave) drain(ctx context.Context) (string, error) {
	h := l.Host
	if h.Settings(Netplugin) == nil || !h.Trust().Has(trust.Agent) {
		return "", nil
	}
	c, err := h.Client(trust.Agent, readyTimeout, h.Netmasters()...)
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, l.Drain)
	defer cancel()
	var left []string // the containers that are known on the host
	asking, cancelAsking := afterwards(limited, dialTimeout)
	defer cancelAsking()
	for {
		there, err := c.Drain(asking, model.DrainRequest{Host: l.Label})
		switch {
		case err != nil && departed(err):
			return "", nil // an earlier contiv leave was interrupted after this host had left
		case err != nil && limited.Err() == nil:
			l.endDrain(ctx)
			return "", fmt.Errorf("drain this host: %w; it accepts containers again", err)
		case err == nil && len(there.Endpoints) == 0:
			return "drained: no container is on this host", nil
		case err == nil && len(there.Endpoints) != len(left):
			left = there.Endpoints
			if l.Progress != nil {
				l.Progress(fmt.Sprintf("%d containers are on this host: %s", len(left), someOf(left)))
			}
		}
		select {
		case <-time.After(cmp.Or(l.interval, drainInterval)):
		case <-limited.Done():
			l.endDrain(ctx)
			if ctx.Err() != nil {
				return "", fmt.Errorf("the drain was interrupted: this host accepts containers again: %w", ctx.Err())
			}
			return "", fmt.Errorf("%d containers are still on this host after %s: %s; delete them through the runtime, in Kubernetes with kubectl drain; the host accepts containers again",
				len(left), l.Drain, someOf(left))
		}
	}
}

// afterwards returns a context that ends some time after another. A drain is not abandoned in the middle of a request when its time is
// over: a netmaster could handle that request after the one that ends the drain, and so begin the drain again.
func afterwards(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return later, func() {
		stop()
		cancel()
	}
}

// endDrain has the host accept containers again, if a netmaster answers; otherwise the drain expires.
func (l *Leave) endDrain(ctx context.Context) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), dialTimeout)
	defer cancel()
	if c, err := l.Host.Client(trust.Agent, 0, l.Host.Netmasters()...); err == nil {
		_, _ = c.Drain(limited, model.DrainRequest{Host: l.Label, End: true})
	}
}
