// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/lab"
)

// talking is an open connection over which a line is sent 100 times a second.
type talking struct {
	cmd  *exec.Cmd
	said atomic.Int64 // bytes that came back
}

// A connection that lives says something at least every hush; so quiet a one counts as cut.
const hush = 800 * time.Millisecond

// doTalking opens a connection: "talking NAME FROM TO PORT".
func (s *Session) doTalking(args []string) error {
	if err := need(args, 4, "talking NAME FROM TO PORT"); err != nil {
		return err
	}
	if s.talks[args[0]] != nil {
		return fmt.Errorf("%s is the name of a connection already", args[0])
	}
	t := &talking{}
	t.cmd = exec.Command(filepath.Join(s.bin, lab.Program), s.labArgs(append([]string{"talk"}, args[1:]...))...)
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := t.cmd.Start(); err != nil {
		return err
	}
	s.talks[args[0]] = t
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			t.said.Add(1)
		}
	}()
	if !t.goesOn(patience) {
		return fmt.Errorf("the connection did not open")
	}
	return nil
}

// goesOn reports whether something comes back over the connection within limit that was not on its way before.
func (t *talking) goesOn(limit time.Duration) bool {
	const onTheWay = 2
	before := t.said.Load()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if t.said.Load() > before+onTheWay {
			return true
		}
	}
	return false
}

// doTalks checks that a connection lives: "talks NAME".
func (s *Session) doTalks(args []string) error {
	if err := need(args, 1, "talks NAME"); err != nil {
		return err
	}
	t := s.talks[args[0]]
	if t == nil {
		return fmt.Errorf("no connection is called %s", args[0])
	}
	if !t.goesOn(hush) {
		return fmt.Errorf("nothing comes over the connection any more, after %d rounds", t.said.Load())
	}
	return nil
}

// hangUp ends all connections; their other ends go with the lab.
func (s *Session) hangUp() {
	for _, t := range s.talks {
		_ = t.cmd.Process.Kill()
		_ = t.cmd.Wait()
	}
}
