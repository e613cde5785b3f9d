// SPDX-License-Identifier: Apache-2.0

// Package logging makes the daemons' structured loggers.
package logging

import (
	"fmt"
	"io"
	"log/slog"
	"log/syslog"
	"net/url"
	"strings"

	"github.com/contiv/contiv/sanitize"
)

// Config selects what to log and where.
type Config struct {
	Level     string // DEBUG, INFO, WARN or ERROR; any case
	JSON      bool
	Syslog    bool
	Dir       string // where the last lines are left for other daemons of the host; "": they are not
	SyslogURL string // "udp://host:port", "tcp://host:port" or "unix:///path"
}

// Check checks the level and the URL.
func (c *Config) Check() error {
	if _, err := c.level(); err != nil {
		return err
	}
	if c.Syslog {
		if u, err := url.Parse(c.SyslogURL); err != nil || u.Scheme == "" || u.Host == "" && u.Path == "" {
			return fmt.Errorf("--syslog-url %s: it is a URL like udp://127.0.0.1:514", c.SyslogURL)
		}
	}
	return nil
}

func (c *Config) level() (slog.Level, error) {
	text := strings.ToUpper(c.Level)
	if text == "WARNING" {
		text = "WARN"
	}
	var l slog.Level
	if err := l.UnmarshalText([]byte(text)); err != nil {
		return l, fmt.Errorf("--log-level %s: it is one of DEBUG, INFO, WARN, ERROR", c.Level)
	}
	return l, nil
}

// New returns a logger that writes to w, or to syslog, and also to recent, unless it is nil.
func New(c Config, program string, w io.Writer, recent *Recent) (*slog.Logger, error) {
	if c.Syslog {
		to, err := dialed(c, program)
		if err != nil {
			return nil, err
		}
		w = to
	}
	h, err := newHandler(c, w, recent)
	if err != nil {
		return nil, err
	}
	return slog.New(h), nil
}

// dialed connects to the syslog server.
func dialed(c Config, program string) (io.Writer, error) {
	to, err := dial(c.SyslogURL, program)
	if err != nil {
		return nil, fmt.Errorf("syslog at %s: %w", c.SyslogURL, err)
	}
	return to, nil
}

// newHandler returns a handler that writes to w, and also to recent, unless it is nil.
func newHandler(c Config, w io.Writer, recent *Recent) (slog.Handler, error) {
	level, err := c.level()
	if err != nil {
		return nil, err
	}
	if recent != nil {
		w = io.MultiWriter(recent, w)
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: bounded}
	if c.JSON {
		return slog.NewJSONHandler(w, options), nil
	}
	return slog.NewTextHandler(w, options), nil
}

// longValue bounds a value of a log line, in bytes: a path in a request may be as long as its header.
const longValue = 4 << 10

// stackKey is the key of a stack of calls, which is Contiv's own text and longer.
const stackKey = "stack"

// bounded cleans and truncates a text, or the text of an error.
func bounded(_ []string, a slog.Attr) slog.Attr {
	if a.Key == stackKey {
		return a
	}
	text := ""
	switch v := a.Value.Any().(type) {
	case string:
		text = v
	case error:
		text = v.Error()
	default:
		return a
	}
	if short := sanitize.Text(text, longValue); short != text {
		a.Value = slog.StringValue(short)
	}
	return a
}

func dial(text, program string) (io.Writer, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	network, address := u.Scheme, u.Host
	if network == "unix" {
		network, address = "unixgram", u.Path
	}
	return syslog.Dial(network, address, syslog.LOG_DAEMON|syslog.LOG_INFO, program)
}
