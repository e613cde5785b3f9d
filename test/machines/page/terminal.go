// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// Terminal is a shell that runs the commands of a page.
type Terminal struct {
	// Same removes from a text the parts that differ from one run of a command to another. The output and the page are compared after that.
	Same func(text string) string
	in   io.WriteCloser
	out  *bufio.Scanner
	cmd  *exec.Cmd
}

// repeated matches commands that usually only read, so that they can be repeated until they print the output of the page; changes matches
// those of them that change something.
var (
	repeated = regexp.MustCompile(`^(netctl (why|doctor|drift|events|matrix|group ls|endpoint (ls|inspect)|node ls)\b|contiv lab exec .* docker network ls$)`)
	changes  = regexp.MustCompile(`--repair\b`)
)

// timeout bounds the time for which a command is repeated.
const timeout = 30 * time.Second

// ended is the text that the shell prints after each command, before its exit code.
const ended = "-- ended with "

// NewTerminal starts a shell with an environment. Close ends it.
func NewTerminal(env []string, same func(string) string) (*Terminal, error) {
	cmd := exec.Command("bash", "--norc")
	cmd.Env = env
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Terminal{Same: same, in: in, out: bufio.NewScanner(out), cmd: cmd}, nil
}

// Close ends the shell.
func (t *Terminal) Close() {
	_ = t.in.Close()
	_ = t.cmd.Wait() // with the code of the last command
}

// Type types a command, which must print the output of the page, or succeed if the page shows none. A command that only reads is repeated for
// at most half a minute. Type blocks until the command has ended.
func (t *Terminal) Type(c Typed) error {
	until := time.Now().Add(timeout)
	for {
		printed, code, err := t.run(c.Shell)
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", c.Line, c.Shell, err)
		}
		missing := Matches(t.Same(c.Prints), t.Same(printed))
		failed := c.Prints == "" && code != "0"
		if missing == "" && !failed {
			return nil
		}
		if repeated.MatchString(c.Shell) && !changes.MatchString(c.Shell) && time.Now().Before(until) {
			time.Sleep(time.Second)
			continue
		}
		return fmt.Errorf("line %d: %s: want it to print %q, got, with exit code %s:\n%s", c.Line, c.Shell, missing, code, printed)
	}
}

// run types a command and returns its output and its exit code.
func (t *Terminal) run(command string) (printed, code string, err error) {
	if _, err := fmt.Fprintf(t.in, "%s </dev/null\necho \"%s$?\"\n", command, ended); err != nil {
		return "", "", err
	}
	for t.out.Scan() {
		line := t.out.Text()
		if before, code, found := strings.Cut(line, ended); found {
			return printed + before, code, nil
		}
		printed += line + "\n"
	}
	return printed, "", fmt.Errorf("the shell has ended: %w", t.out.Err())
}
