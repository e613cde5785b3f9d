// SPDX-License-Identifier: Apache-2.0

package app

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
)

// TestShellRefused: no shell opens without --write, nor for a name that is not one of a container.
func TestShellRefused(t *testing.T) {
	s, now := fixed()
	m := New(t.Context(), &cluster{}, mono(t, false), opened(t, "endpoints"), now)
	m.Update(s)
	if press(m, "x"); !strings.Contains(m.notice, "contiv console --write") {
		t.Errorf("want a refusal that names --write, got %q", m.notice)
	}
	m.editor = []string{"true"}
	for _, e := range []feed.Endpoint{{ContainerName: "-H", HomingHost: "h1"}, {Pod: "shop/a b"}, {ContainerName: "web", HomingHost: "-oProxyCommand=x"}, {HomingHost: "h1"}} {
		if cmd := m.perform(page.Action{Shell: &e}); cmd != nil || !strings.Contains(m.notice, "open the shell on host "+e.HomingHost) {
			t.Errorf("%+v: want a refusal, got %q", e, m.notice)
		}
	}
	if cmd := m.perform(page.Action{Shell: &feed.Endpoint{Pod: "shop/web-1"}}); cmd == nil {
		t.Error("want a shell in a pod")
	}
}

// TestShellEnded: what the command stderr last is shown, without the control characters of a container's text.
func TestShellEnded(t *testing.T) {
	s, now := fixed()
	m := New(t.Context(), &cluster{}, mono(t, false), opened(t, "endpoints"), now)
	m.Update(s)
	stderr := &lastLine{}
	_, _ = stderr.Write([]byte("trying\nError: no such cont"))
	_, _ = stderr.Write([]byte("ainer: \x1b[31mweb\n\n"))
	m.Update(shellMsg{[]string{"docker", "exec", "web"}, stderr.String(), errors.New("exit status 1")})
	if m.notice != "docker exec web: Error: no such container: \x1b[31mweb" && !strings.HasPrefix(m.notice, "docker exec web: Error: no such container: ") || strings.Contains(m.notice, "\x1b") {
		t.Errorf("want the last line, got %q", m.notice)
	}
	m.Update(shellMsg{[]string{"kubectl"}, "", errors.New("not found in $PATH")})
	if m.notice != "kubectl: not found in $PATH" {
		t.Errorf("want the error, got %q", m.notice)
	}
	m.notice = ""
	if m.Update(shellMsg{[]string{"kubectl"}, "warning", nil}); m.notice != "" {
		t.Errorf("want nothing of a shell that ended well, got %q", m.notice)
	}
	for range 100 {
		_, _ = stderr.Write([]byte(strings.Repeat("y", maxLastLine)))
	}
	if len(stderr.rest) > maxLastLine {
		t.Errorf("want at most %d bytes kept, got %d", maxLastLine, len(stderr.rest))
	}
}

// TestChildErrors: the terminal does not take the errors of a program from the one who reads them.
func TestChildErrors(t *testing.T) {
	mine, screen := &lastLine{}, &lastLine{}
	c := child{exec.Command("true")}
	c.Stderr = mine
	if c.SetStderr(screen); c.Stderr != mine {
		t.Error("want the errors where they went")
	}
	c.Stderr = nil
	if c.SetStderr(screen); c.Stderr != screen {
		t.Error("want the errors on the terminal")
	}
}
