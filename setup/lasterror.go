// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Limits for the end of a log.
const (
	logLines     = 500
	logBytes     = 256 << 10
	maxLineBytes = 600 // bytes shown of a line
)

// Log returns the end of a daemon's log since a time, as the daemon wrote it. It blocks until the journal has answered, or ctx
// ends.
func (s Systemd) Log(ctx context.Context, daemon string, since time.Time) (string, error) {
	return s.Journal(ctx, "--unit", filepath.Base(s.Host.unitFile(daemon)), "--since", "@"+strconv.FormatInt(since.Unix(), 10),
		"--lines", strconv.Itoa(logLines), "--output", "cat", "--no-pager", "--quiet")
}

// Journalctl runs journalctl and returns its output.
func Journalctl(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "journalctl", args...).Output()
	if err != nil {
		return "", fmt.Errorf("journalctl %s: %w", strings.Join(args, " "), err)
	}
	return string(out[max(0, len(out)-logBytes):]), nil
}

// Log returns the end of a daemon's log file since a time. A line without a time is as old as the line before it.
func (d Detached) Log(_ context.Context, daemon string, since time.Time) (string, error) {
	f, err := os.Open(d.Host.LogFile(daemon))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Size() > logBytes {
		if _, err := f.Seek(-logBytes, io.SeekEnd); err != nil {
			return "", err
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, logBytes))
	return after(string(text), since), err
}

// Log returns "": an operator who starts daemons by hand sees their output.
func (b ByHand) Log(context.Context, string, time.Time) (string, error) { return "", nil }

// stamp matches the time of a line in a daemon's log.
var stamp = regexp.MustCompile(`^(?:time="?|\{"time":")([0-9T:.Z+-]+)`)

// after drops the lines that are older than a time. A program that ends before it logs anything writes its error in lines without a
// time.
func after(log string, since time.Time) string {
	rest, kept := log, log
	for line := range strings.Lines(log) {
		below := rest[len(line):]
		if m := stamp.FindStringSubmatch(line); m != nil {
			if at, err := time.Parse(time.RFC3339Nano, m[1]); err == nil && !at.Before(since.Truncate(time.Second)) {
				return rest
			}
			kept = below
		}
		rest = below
	}
	return kept
}

// lastError returns the most important last line of a log: the one with which a daemon ended, an error, or else a warning; "" if
// there is none.
func lastError(daemon, log string) string {
	last := map[string]string{}
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		for _, is := range []struct{ kind, mark string }{{"end", daemon + ": "}, {"error", "level=ERROR"}, {"error", `"level":"ERROR"`}, {"warning", "level=WARN"}, {"warning", `"level":"WARN"`}} {
			if strings.HasPrefix(line, is.mark) || is.kind != "end" && strings.Contains(line, is.mark) {
				last[is.kind] = line
			}
		}
	}
	for _, kind := range []string{"end", "error", "warning"} {
		if last[kind] != "" {
			return clean(last[kind])
		}
	}
	return ""
}

// clean makes a line of a log safe to print at a terminal.
func clean(line string) string {
	line = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, "?"))
	if len(line) > maxLineBytes {
		line = strings.ToValidUTF8(line[:maxLineBytes], "") + "..."
	}
	return line
}

// reason describes why a daemon is not ready: what is known, and the last error that it logged since a time.
func (h *Host) reason(ctx context.Context, s Starter, daemon string, since time.Time, known string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	log, err := s.Log(ctx, daemon, since)
	found := lastError(daemon, log)
	switch {
	case err != nil:
		found = "its log cannot be read: " + err.Error()
	case found == "":
		found = "it has logged no error"
	default:
		found = "the last error in its log is: " + found
	}
	return fmt.Sprintf("%s; %s (all of it: %s, or journalctl -u contiv-%s)", known, found, h.LogFile(daemon), daemon)
}
