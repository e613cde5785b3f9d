// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

func TestMessage(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 6000, time.UTC)
	for _, row := range []struct {
		name string
		in   model.AuditEvent
		want string
	}{
		{"a login", model.AuditEvent{Time: at, Verb: "login", User: "ann", Proof: "session", From: "192.0.2.1"},
			`<109>1 2030-01-02T03:04:05.000006Z h1 netmaster - login [contiv@32473 user="ann" proof="session" from="192.0.2.1"] login ann`},
		{"a refusal", model.AuditEvent{Time: at, Verb: "refused", Target: "GET /x", Status: 401}, `<108>1 2030-01-02T03:04:05.000006Z h1 netmaster - refused [contiv@32473 target="GET /x" status="401"] refused  GET /x`},
		{"what would end a parameter, or a line", model.AuditEvent{Time: at, Verb: "x", User: "a\"]\\\n"}, `<109>1 2030-01-02T03:04:05.000006Z h1 netmaster - x [contiv@32473 user="a\"\]\\ "] x a"]\ `},
	} {
		if got := message(row.in, "h1"); strings.TrimSpace(got) != strings.TrimSpace(row.want) {
			t.Errorf("%s:\nwant %s\ngot  %s", row.name, row.want, got)
		}
	}
}

// Over TCP, each message is preceded by its length, and a connection that the server has closed is recreated.
func TestSyslogOverTCP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	s, err := NewSyslog("tcp://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(model.AuditEvent{Verb: "login", User: "ann"}); err != nil {
		t.Fatal(err)
	}
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = nc.Close() }()
	in := bufio.NewReader(nc)
	length, err := in.ReadString(' ')
	n, wrong := strconv.Atoi(strings.TrimSpace(length))
	if err != nil || wrong != nil {
		t.Fatalf("%q: %v, %v", length, err, wrong)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(in, text); err != nil || !strings.HasSuffix(string(text), "login ann") {
		t.Errorf("got %q, %v", text, err)
	}
	for _, bad := range []string{"", "log.example.org", "unix:///dev/log", "udp://", "tcp://h/x"} {
		if _, err := NewSyslog(bad); err == nil {
			t.Errorf("%q is no server", bad)
		}
	}
}

// For any event, the message is one line of UTF-8 with well-formed parameters.
func FuzzMessage(f *testing.F) {
	f.Add("login", "ann", "GET /x\"]")
	f.Add("\xff", "\\", "]\n<1>1 ")
	f.Fuzz(func(t *testing.T, verb, user, target string) {
		text := message(model.AuditEvent{Verb: verb, User: user, Target: target}, "h")
		if strings.ContainsAny(text, "\n\r\x00") || !strings.HasPrefix(text, "<109>1 ") || len(strings.SplitN(text, " ", 8)) < 8 {
			t.Errorf("%q", text)
		}
	})
}
