// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

const (
	syslogTime = 2 * time.Second // to connect, and to write
	syslogRest = 5 * time.Second // before a retry of a server that failed
	// The priority is facility 13, log audit, with severity 5, notice, or 4, warning, for refusals (RFC 5424, section 6.2.1).
	noticed, warned = 13*8 + 5, 13*8 + 4
	// enterprise is the number for documentation and examples (RFC 5612), because contiv has none of its own.
	enterprise = "32473"
)

// Syslog sends each event to a syslog server (RFC 5424), in datagrams (RFC 5426) or over TCP with counted octets (RFC 6587, section 3.4.1).
type Syslog struct {
	network, address, host string

	mu     sync.Mutex
	conn   net.Conn
	resume time.Time
}

var _ Sink = (*Syslog)(nil)

// NewSyslog returns a Syslog for the server at udp://HOST:PORT or tcp://HOST:PORT. It connects with the first event.
func NewSyslog(server string) (*Syslog, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "udp" && u.Scheme != "tcp" || u.Hostname() == "" || u.Path != "" {
		return nil, fmt.Errorf("%q is no syslog server: it is like udp://192.0.2.1:514 or tcp://log.example.org:601", server)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"udp": "514", "tcp": "601"}[u.Scheme]
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	return &Syslog{network: u.Scheme, address: net.JoinHostPort(u.Hostname(), port), host: host}, nil
}

// Write sends an event. It blocks for at most two seconds, and does not retry a failed server for five.
func (s *Syslog) Write(e model.AuditEvent) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Before(s.resume) {
		return nil
	}
	text := message(e, s.host)
	if s.network == "tcp" {
		text = strconv.Itoa(len(text)) + " " + text
	}
	err := s.send(text, now)
	if err != nil && s.network == "tcp" { // the server may have ended the connection since the last event
		err = s.send(text, now)
	}
	if err != nil {
		s.resume = time.Now().Add(syslogRest)
	}
	return err
}

func (s *Syslog) send(text string, now time.Time) (err error) {
	if s.conn == nil {
		if s.conn, err = net.DialTimeout(s.network, s.address, syslogTime); err != nil {
			s.conn = nil
			return err
		}
	}
	if err = s.conn.SetWriteDeadline(now.Add(syslogTime)); err == nil {
		_, err = s.conn.Write([]byte(text))
	}
	if err != nil {
		_ = s.conn.Close()
		s.conn = nil
	}
	return err
}

// message formats an event as a syslog message.
func message(e model.AuditEvent, host string) string {
	priority := noticed
	if e.Status != 0 {
		priority = warned
	}
	var data, text strings.Builder
	for _, p := range []struct{ name, value string }{{"user", e.User}, {"proof", e.Proof}, {"from", e.From}, {"via", e.Via}, {"target", e.Target}, {"status", number(e.Status)}, {"why", e.Why}} {
		if p.value != "" {
			_, _ = fmt.Fprintf(&data, ` %s="%s"`, p.name, escaped(p.value))
		}
	}
	_, _ = fmt.Fprintf(&text, "<%d>1 %s %s netmaster - %s [contiv@%s%s] %s", priority, e.Time.UTC().Format("2006-01-02T15:04:05.000000Z"), name(host, 255), name(e.Verb, 32), enterprise,
		data.String(), printable(strings.TrimSpace(e.Verb+" "+e.User+" "+e.Target)))
	return text.String()
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// escaped escapes a value of a parameter (section 6.3.3).
func escaped(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `]`, `\]`).Replace(printable(s))
}

// printable returns s in UTF-8, without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// name returns a word of the header: printable ASCII without spaces, "-" for none (section 6).
func name(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f {
			return '_'
		}
		return r
	}, s)
	if s == "" {
		return "-"
	}
	return s[:min(len(s), most)]
}
