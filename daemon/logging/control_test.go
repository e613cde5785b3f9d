// SPDX-License-Identifier: Apache-2.0

package logging_test

import (
	"bytes"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/logging"
)

// The level and the format change at once, for existing loggers with attributes and groups too, and an error changes nothing.
func TestControl(t *testing.T) {
	var out bytes.Buffer
	recent := &logging.Recent{}
	log, control, err := logging.NewControlled(logging.Config{Level: "INFO"}, "test", &out, recent)
	if err != nil {
		t.Fatal(err)
	}
	child := log.With("host", "h1").WithGroup("g").With("key", "k")
	lines := func() string {
		t.Helper()
		for _, l := range []struct{ debug func(string, ...any) }{{log.Debug}, {child.Debug}} {
			l.debug("quiet", "is", 1)
		}
		text := out.String()
		out.Reset()
		return text
	}
	if got := lines(); got != "" {
		t.Errorf("INFO: got %q", got)
	}
	if err := control.Apply(logging.Config{Level: "DEBUG"}); err != nil {
		t.Fatal(err)
	}
	if got := lines(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "host=h1 g.key=k g.is=1") {
		t.Errorf("DEBUG: got %q", got)
	}
	if err := control.Apply(logging.Config{Level: "LOUD", JSON: true}); err == nil {
		t.Error("an unknown level: want an error")
	}
	if got := lines(); strings.Count(got, "\n") != 2 || strings.Contains(got, "{") {
		t.Errorf("after an error: got %q", got)
	}
	if err := control.Apply(logging.Config{Level: "DEBUG", JSON: true}); err != nil {
		t.Fatal(err)
	}
	if got := lines(); !strings.Contains(got, `"host":"h1","g":{"key":"k","is":1}`) {
		t.Errorf("JSON: got %q", got)
	}
	if got := string(recent.Text()); strings.Count(got, "\n") != 6 {
		t.Errorf("kept: got %q", got)
	}
}

// The log moves to a syslog server and back.
func TestControl_Syslog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenPacket("unixgram", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	var out bytes.Buffer
	log, control, err := logging.NewControlled(logging.Config{Level: "INFO"}, "test", &out, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := logging.Config{Level: "INFO", Syslog: true, SyslogURL: "unix://" + path}
	for range 2 { // the second keeps the connection
		if err := control.Apply(c); err != nil {
			t.Fatal(err)
		}
		log.Info("away")
		text := make([]byte, 1000)
		if n, _, err := l.ReadFrom(text); err != nil || !strings.Contains(string(text[:n]), "msg=away") {
			t.Errorf("got %q, %v", text[:n], err)
		}
	}
	if err := control.Apply(logging.Config{Level: "INFO", Syslog: true, SyslogURL: "unix://" + path + ".none"}); err == nil {
		t.Error("a missing server: want an error")
	}
	if err := control.Apply(logging.Config{Level: "INFO"}); err != nil {
		t.Fatal(err)
	}
	if log.Info("back"); !strings.Contains(out.String(), "msg=back") || strings.Contains(out.String(), "away") {
		t.Errorf("got %q", out.String())
	}
}
