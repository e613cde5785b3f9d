// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// grace is the time for requests in progress when a server ends.
const grace = 5 * time.Second

// Serve serves at l until ctx ends; then it returns nil, once requests in progress are finished or five seconds have passed. It returns
// an error when the listener fails.
func Serve(ctx context.Context, srv *http.Server, l net.Listener) error {
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if srv.Shutdown(limited) != nil {
		_ = srv.Close()
	}
	<-done
	return nil
}
