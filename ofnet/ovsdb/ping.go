// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
)

// Ping checks over a new connection whether the server at a unix socket is alive (RFC 7047 section 4.1.11). It blocks until the answer, or
// until ctx ends.
func Ping(ctx context.Context, path string) error {
	nc, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return err
	}
	c := newConn(nc, func(string, json.RawMessage) error { return nil })
	defer c.Close()
	if _, err := c.Call(ctx, "echo", "contiv"); err != nil {
		return fmt.Errorf("echo: %w", err)
	}
	return nil
}
