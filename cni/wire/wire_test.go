// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"errors"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadResponse(t *testing.T) {
	rows := []struct {
		name, in string
		body     string
		exit     int
		bad      string // in the error
	}{
		{"length", "HTTP/1.1 200 OK\r\nCni-Exit: 0\r\nContent-Length: 2\r\n\r\n{}x", "{}", 0, ""},
		{"to the end", "HTTP/1.0 200 OK\r\ncni-exit: 255\r\n\r\nwhy", "why", 255, ""},
		{"an error of the agent", "HTTP/1.0 500 Oops\r\nCni-Exit: 0\r\n\r\nwhy", "", 0, "HTTP status 500: why"},
		{"an agent that does not know plugins of this build", "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", "", 0, "older than this CNI plugin"},
		{"no exit code", "HTTP/1.0 200 OK\r\n\r\n{}", "", 0, "HTTP status 200"},
		{"exit code out of range", "HTTP/1.0 200 OK\r\nCni-Exit: 256\r\n\r\n{}", "", 0, "HTTP status 200"},
		{"empty", "", "", 0, "read status"},
		{"no header end", "HTTP/1.0 200 OK\r\nX: y\r\n", "", 0, "read headers"},
		{"short body", "HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n{}", "", 0, "read answer"},
		{"huge body", "HTTP/1.0 200 OK\r\nContent-Length: 99999999999\r\n\r\n{}", "", 0, "out of range"},
		{"negative", "HTTP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n{}", "", 0, "out of range"},
		{"not HTTP", "hello\r\n\r\n", "", 0, "not an HTTP answer"},
		{"bad status", "HTTP/1.0 abc\r\n\r\n", "", 0, "not an HTTP status"},
	}
	for _, r := range rows {
		var a Answer
		res, err := readResponse(strings.NewReader(r.in))
		if err == nil {
			a, err = res.answer()
		}
		if (err != nil) != (r.bad != "") || err != nil && !strings.Contains(err.Error(), r.bad) || string(a.Stdout) != r.body || a.Exit != r.exit {
			t.Errorf("%s: want %q, exit %d, error %q; got %q, %d, %v", r.name, r.body, r.exit, r.bad, a.Stdout, a.Exit, err)
		}
	}
}

// Neither an agent that is away, nor one that hangs up, nor one that says nothing, leaves a plugin without an error.
func TestDoWithoutAgent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	c := Client{Socket: path, Timeout: 5 * time.Second}
	if _, err := c.Do(Call{}); !errors.Is(err, ErrNoAgent) {
		t.Errorf("no socket: want ErrNoAgent, got %v", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	accepted := make(chan net.Conn, 1)
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- nc
		}
	}()
	go func() {
		nc := <-accepted
		_, _ = nc.Read(make([]byte, 10))
		_ = nc.Close()
	}()
	if _, err := c.Do(Call{}); !errors.Is(err, ErrNoAgent) {
		t.Errorf("agent that hangs up: want ErrNoAgent, got %v", err)
	}
	c.Timeout = 50 * time.Millisecond
	if _, err := c.Do(Call{}); !errors.Is(err, ErrNoAgent) || !strings.Contains(err.Error(), "no answer for 50ms") {
		t.Errorf("agent that says nothing: want ErrNoAgent and how long, got %v", err)
	}
	_ = (<-accepted).Close()
}

func FuzzCall(f *testing.F) {
	f.Add([]byte("CNI_COMMAND=ADD\x00CNI_IFNAME=eth0\x00\x00{\"name\":\"n\"}"))
	f.Add([]byte("\x00"))
	f.Add([]byte("A=\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := DecodeCall(in)
		if err != nil {
			return
		}
		again, err := DecodeCall(c.Encode())
		if err != nil || !slices.Equal(again.Environ, c.Environ) || !bytes.Equal(again.Stdin, c.Stdin) {
			t.Fatalf("want %+v after encoding, got %+v, %v", c, again, err)
		}
	})
}

func FuzzResponse(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nCni-Exit: 1\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("HTTP/1.0 404 Not Found\r\n\r\n{\"error\":{\"code\":11,\"msg\":\"x\"}}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := readResponse(bytes.NewReader(in))
		if err != nil {
			return
		}
		if a, err := r.answer(); err == nil && (a.Exit < 0 || a.Exit > 255) {
			t.Fatalf("exit code %d", a.Exit)
		}
	})
}
