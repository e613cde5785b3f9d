// SPDX-License-Identifier: Apache-2.0

package vswitchd_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/vswitchd"
)

// serveAnswers answers each request on a socket with the next of answers; after the last it stays silent.
func serveAnswers(t testing.TB, answers ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ctl")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		buffer := make([]byte, 4096)
		for _, a := range answers {
			if _, err := conn.Read(buffer); err != nil {
				return
			}
			if _, err := io.WriteString(conn, a); err != nil {
				return
			}
		}
		_, _ = io.Copy(io.Discard, conn)
	}()
	return path
}

func TestDo(t *testing.T) {
	rows := []struct{ name, answer, want, fails string }{
		{"result", `{"id":1,"result":"12\n","error":null}`, "12\n", ""},
		{"refusal", `{"id":1,"result":null,"error":"no such command\n"}`, "", "refuses ofproto/trace: no such command"},
		{"another's answer", `{"id":7,"result":"x","error":null}`, "", "want 1"},
		{"neither", `{"id":1,"result":null,"error":null}`, "", "neither result nor error"},
		{"no JSON", `hello`, "", "read the answer"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			c, err := vswitchd.Dial(t.Context(), serveAnswers(t, r.answer))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			got, err := c.Do(t.Context(), "ofproto/trace", "contiv0")
			if got != r.want || (err == nil) != (r.fails == "") || err != nil && !strings.Contains(err.Error(), r.fails) {
				t.Errorf("want %q and an error with %q, got %q, %v", r.want, r.fails, got, err)
			}
		})
	}
}

func TestDoEndsWithItsContext(t *testing.T) {
	c, err := vswitchd.Dial(t.Context(), serveAnswers(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Do(ctx, "version"); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("want the end of the deadline, got %v", err)
	}
}

func TestSocket(t *testing.T) {
	dir := t.TempDir()
	if _, err := vswitchd.Socket(dir); err == nil {
		t.Error("want an error without ovs-vswitchd.pid, got none")
	}
	for text, want := range map[string]string{"123\n": filepath.Join(dir, "ovs-vswitchd.123.ctl"), "x": "", "-1": ""} {
		if err := os.WriteFile(filepath.Join(dir, "ovs-vswitchd.pid"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := vswitchd.Socket(dir); got != want || (err == nil) != (want != "") {
			t.Errorf("pid file %q: want %q, got %q, %v", text, want, got, err)
		}
	}
}

// Do returns its text or an error, and a refusal has a reason of its own, whatever ovs-vswitchd answers.
func FuzzDo(f *testing.F) {
	for _, answer := range []string{`{"id":1,"result":"12\n","error":null}`, `{"id":1,"result":null,"error":"no such command"}`,
		`{"id":1,"result":"a","error":"b"}`, `{"id":"1","result":{}}`, `{"ID":1,"Result":"a"}`, `[1]`, `{"id":1}{"id":2}`, "\x00", `{"id":1e400}`} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		if answer == "" {
			return // nothing is no answer
		}
		path := serveAnswers(t, answer+" ")
		c, err := vswitchd.Dial(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // of an answer that is not whole
		defer cancel()
		got, err := c.Do(ctx, "version")
		var refusal *vswitchd.Refusal
		switch {
		case err != nil && got != "":
			t.Errorf("want a text or an error, got %q and %v", got, err)
		case errors.As(err, &refusal) && refusal.Command != "version":
			t.Errorf("want the refusal of version, got %+v", refusal)
		case err == nil:
			var first struct{ Result string }
			if json.NewDecoder(strings.NewReader(answer)).Decode(&first) != nil || first.Result != got {
				t.Errorf("want an error or the result in %q, got %q", answer, got)
			}
		}
	})
}
