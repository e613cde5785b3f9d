// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

// client is a connection over which the client has already sent all data.
type client struct {
	net.Conn
	said  *bytes.Reader
	heard bytes.Buffer
}

func (c *client) Read(b []byte) (int, error)  { return c.said.Read(b) }
func (c *client) Write(b []byte) (int, error) { return c.heard.Write(b) }
func (c *client) Close() error                { return nil }
func (c *client) RemoteAddr() net.Addr        { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40000} }
func (c *client) SetDeadline(time.Time) error { return nil }

// one is a listener that accepts these connections, and is closed after them.
type one []net.Conn

func (l *one) Accept() (net.Conn, error) {
	if len(*l) == 0 {
		return nil, net.ErrClosed
	}
	c := (*l)[0]
	*l = (*l)[1:]
	return c, nil
}
func (l *one) Close() error   { return nil }
func (l *one) Addr() net.Addr { return &net.TCPAddr{} }

// Any data sent over TCP gets only complete answers, at most as many as it has questions.
func FuzzStream(f *testing.F) {
	zone := blueZone()
	state := ofnettest.Parse(f, `self h1
tenant blue id=1
network blue:net id=101 vxlan=5001 bridge proxy net=10.1.0.0/24 gw=10.1.0.254
endpoint e1 network=blue:net host=h1 port=1 mac=02:02:65:01:00:01 ip=10.1.0.1
`)
	state.Private = netip.MustParsePrefix("127.0.0.0/16") // the endpoint behind port 1 is 127.0.0.1
	framed := func(names ...string) (out []byte) {
		for _, name := range names {
			q := new(dns.Msg)
			q.SetQuestion(name, dns.TypeA)
			b, err := q.Pack()
			if err != nil {
				f.Fatal(err)
			}
			out = append(binary.BigEndian.AppendUint16(out, uint16(len(b))), b...)
		}
		return out
	}
	two := framed("web.contiv.", "absent.contiv.")
	for _, seed := range [][]byte{framed("web."), two, two[:len(two)-3], {0, 0}, {0xff, 0xff, 1}, []byte("GET / HTTP/1.1\r\n\r\n"), nil} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		r := NewResponder(Options{Host: "h1", Zone: zone, Forward: NewForwarder([]string{"127.0.0.1:1"}, ""), View: func(fn func(*ofnet.State)) { fn(state) },
			Log: slog.New(slog.DiscardHandler)})
		c := &client{said: bytes.NewReader(said)}
		r.accept(t.Context(), &one{c})
		heard := &dns.Conn{Conn: &client{said: bytes.NewReader(c.heard.Bytes())}}
		answers := uint64(0)
		for ; ; answers++ {
			m, err := heard.ReadMsg()
			if errors.Is(err, io.EOF) && heard.Conn.(*client).said.Len() == 0 {
				break
			}
			if err != nil || !m.Response {
				t.Fatalf("want whole answers, got %v, %v", m, err)
			}
		}
		if n := r.Counts(); answers > n.Questions {
			t.Errorf("want at most an answer for each of %d questions, got %d", n.Questions, answers)
		}
	})
}
