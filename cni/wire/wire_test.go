package wire

import (
	"bytes"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReadResponse(t *testing.T) {
	rows := []struct {
		name, in string
		status   int
		body     string
		bad      bool
	}{
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}x", 200, "{}", false},
		{"to the end", "HTTP/1.0 500 Oops\r\nX: y\r\n\r\nwhy", 500, "why", false},
		{"empty", "", 0, "", true},
		{"no header end", "HTTP/1.0 200 OK\r\nX: y\r\n", 0, "", true},
		{"short body", "HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n{}", 0, "", true},
		{"huge body", "HTTP/1.0 200 OK\r\nContent-Length: 99999999999\r\n\r\n{}", 0, "", true},
		{"negative", "HTTP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n{}", 0, "", true},
		{"not HTTP", "hello\r\n\r\n", 0, "", true},
		{"bad status", "HTTP/1.0 abc\r\n\r\n", 0, "", true},
	}
	for _, r := range rows {
		status, body, err := readResponse(strings.NewReader(r.in))
		if (err != nil) != r.bad || status != r.status || string(body) != r.body {
			t.Errorf("%s: want %d %q error %v, got %d %q %v", r.name, r.status, r.body, r.bad, status, body, err)
		}
	}
}

func TestCallWithoutAgent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	c := Client{Socket: path, Timeout: 5 * time.Second}
	if _, err := c.Call(PathAdd, Request{}); !errors.Is(err, ErrNoAgent) {
		t.Errorf("no socket: want ErrNoAgent, got %v", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = nc.Read(make([]byte, 10))
			_ = nc.Close()
		}
	}()
	if _, err := c.Call(PathAdd, Request{}); !errors.Is(err, ErrNoAgent) {
		t.Errorf("agent that hangs up: want ErrNoAgent, got %v", err)
	}
}

func FuzzResponse(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("HTTP/1.0 200 OK\r\n\r\n{\"error\":{\"code\":11,\"msg\":\"x\"}}"))
	f.Add([]byte("HTTP/1.0 200 OK\r\n\r\n{\"result\":{\"ips\":[{\"address\":\"10.0.0.1/8\",\"interface\":9}]}}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		status, body, err := readResponse(bytes.NewReader(in))
		if err == nil {
			_, _ = decodeAnswer(status, body)
		}
	})
}

func FuzzParseConf(f *testing.F) {
	f.Add([]byte(`{"cniVersion":"1.0.0","name":"n","type":"contivk8s","tenant":"t","labels":{"a":"b"},"prevResult":{}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, in []byte) { _, _ = ParseConf(in) })
}
