package channel

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// dialLimit is how long a netmaster may take to accept a connection.
const dialLimit = 2 * time.Second

// Protocols are what a netmaster speaks: HTTP/1.1 to everyone, and HTTP/2 to agents.
func Protocols() *http.Protocols {
	var both http.Protocols
	both.SetHTTP1(true)
	both.SetHTTP2(true)
	both.SetUnencryptedHTTP2(true)
	return &both
}

// NewHTTP returns a client that has one connection to each netmaster, for the channel and for requests: HTTP/2 over TLS, or with prior knowledge
// (RFC 9113, section 3.3) where secure is nil.
func NewHTTP(secure *tls.Config) *http.Client {
	var two http.Protocols
	two.SetHTTP2(secure != nil)
	two.SetUnencryptedHTTP2(secure == nil)
	return &http.Client{
		Transport: &http.Transport{Protocols: &two, TLSClientConfig: secure, DialContext: (&net.Dialer{Timeout: dialLimit}).DialContext, IdleConnTimeout: time.Minute,
			HTTP2: &http.HTTP2Config{SendPingTimeout: silenceMost / 2, PingTimeout: silenceMost / 2}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
