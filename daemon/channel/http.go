// SPDX-License-Identifier: Apache-2.0

package channel

import (
	"net"
	"net/http"
	"time"

	"github.com/contiv/contiv/trust"
)

// dialTimeout is the maximum time of a connection to a netmaster.
const dialTimeout = 2 * time.Second

// Protocols returns the protocols of a netmaster: HTTP/1.1 for every client, and HTTP/2 for agents.
func Protocols() *http.Protocols {
	var both http.Protocols
	both.SetHTTP1(true)
	both.SetHTTP2(true)
	both.SetUnencryptedHTTP2(true)
	return &both
}

// NewHTTP returns a client with one connection to each netmaster, for the channel and for requests: HTTP/2 over TLS, with which netmasters
// prove that they belong to holder's cluster, or with prior knowledge (RFC 9113, section 3.3) if holder is nil. A connection ends if the
// netmaster's certificate is revoked.
func NewHTTP(holder *trust.Holder) *http.Client {
	var two http.Protocols
	two.SetHTTP2(holder != nil)
	two.SetUnencryptedHTTP2(holder == nil)
	plain := (&net.Dialer{Timeout: dialTimeout}).DialContext
	t := &http.Transport{Protocols: &two, DialContext: plain, IdleConnTimeout: time.Minute,
		HTTP2: &http.HTTP2Config{SendPingTimeout: idleTimeout / 2, PingTimeout: idleTimeout / 2}}
	if holder != nil {
		secure := holder.Client(trust.Master, "")
		secure.NextProtos = []string{"h2"}
		t.DialTLSContext = holder.Dialer(plain, secure)
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
