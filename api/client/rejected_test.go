// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
)

// A client whose certificate a netmaster refuses does not retry: the answer would be the same.
func TestRejected(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.StartTLS()
	defer server.Close()
	c := &client.Client{Base: server.URL, HTTP: server.Client(), Timeout: time.Second}
	if _, err := c.Version(t.Context()); err == nil || connections.Load() != 1 {
		t.Errorf("got %v after %d connections, want a refusal after one", err, connections.Load())
	}
}
