// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/describe"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/widget"
)

// shellMsg is the end of a shell.
type shellMsg struct {
	line   []string // its command
	stderr string   // the last line of its errors
	err    error
}

// shell opens a shell in the container of an endpoint. The shell has the terminal until it ends, and the rights that the user has with kubectl,
// docker or ssh.
func (m *Model) shell(e *feed.Endpoint) tea.Cmd {
	if m.editor == nil {
		m.notice = "the console is read-only, and a shell can change its container: contiv console --write"
		return nil
	}
	here, _ := os.Hostname() // an unknown name is no host's
	line := describe.Shell(e.Pod, e.ContainerName, e.HomingHost, here)
	switch {
	case e.Pod == "" && e.ContainerName == "":
		m.notice = "no runtime has reported the container's name: open the shell on host " + widget.Bare(e.HomingHost)
		return nil
	case line == nil:
		m.notice = "the container's name is none of Kubernetes or Docker: open the shell on host " + widget.Bare(e.HomingHost)
		return nil
	}
	cmd, stderr := exec.CommandContext(m.ctx, line[0], line[1:]...), &lastLine{}
	cmd.Stderr = io.MultiWriter(os.Stderr, stderr)
	return lend(cmd, func(err error) tea.Msg { return shellMsg{line, stderr.String(), err} })
}

// shellEnded shows why a shell did not open. The exit code of one that did open is that of its last command.
func (m *Model) shellEnded(x shellMsg) {
	if x.err == nil {
		return
	}
	m.notice = fmt.Sprintf("%s: %v", strings.Join(x.line, " "), x.err)
	if x.stderr != "" {
		m.notice = fmt.Sprintf("%s: %s", strings.Join(x.line, " "), widget.Bare(x.stderr))
	}
}

// maxLastLine bounds a kept line.
const maxLastLine = 500

// lastLine keeps the last line that is not empty, of what is written to it.
type lastLine struct{ line, rest []byte }

// Write takes text, and never fails.
func (l *lastLine) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, after, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			break
		}
		l.keep(line)
		l.rest = after
	}
	l.rest = l.rest[:min(len(l.rest), maxLastLine)]
	return len(p), nil
}

func (l *lastLine) keep(line []byte) {
	if line = bytes.TrimSpace(line); len(line) > 0 {
		l.line = bytes.Clone(line[:min(len(line), maxLastLine)])
	}
}

// String returns the line.
func (l *lastLine) String() string {
	l.keep(l.rest)
	return string(l.line)
}
