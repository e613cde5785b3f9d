package channel

import (
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
	both.SetUnencryptedHTTP2(true)
	return &both
}

// NewHTTP returns a client that has one connection to each netmaster, for the channel and for requests (HTTP/2 with prior knowledge, RFC 9113 section 3.3).
func NewHTTP() *http.Client {
	var two http.Protocols
	two.SetUnencryptedHTTP2(true)
	return &http.Client{
		Transport: &http.Transport{Protocols: &two, DialContext: (&net.Dialer{Timeout: dialLimit}).DialContext, IdleConnTimeout: time.Minute,
			HTTP2: &http.HTTP2Config{SendPingTimeout: silenceMost / 2, PingTimeout: silenceMost / 2}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
