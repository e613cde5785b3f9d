// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/contiv/contiv/lab"
)

// churning are containers that come and go in the background.
type churning struct {
	stop, done chan struct{}
	rounds     atomic.Int64           // containers that came and went
	failed     atomic.Pointer[string] // what the last command that failed printed
}

func (s *Session) doChurning(args []string) error {
	if err := need(args, 1, "churning HOST..."); err != nil {
		return err
	}
	if s.churn != nil {
		return fmt.Errorf("containers come and go already")
	}
	c := &churning{stop: make(chan struct{}), done: make(chan struct{})}
	lab := func(args ...string) bool {
		out, err := exec.Command(filepath.Join(s.bin, lab.Program), s.labArgs(args)...).CombinedOutput()
		if err != nil {
			text := fmt.Sprintf("%v: %s", args, out)
			c.failed.Store(&text)
		}
		return err == nil
	}
	s.churn = c
	go func() {
		defer close(c.done)
		for n := 0; ; n++ {
			select {
			case <-c.stop:
				return
			default:
			}
			name := "churn" + strconv.Itoa(n)
			came := lab("attach", args[n%len(args)], name, "--network", "blue")
			if went := lab("detach", name); came && went {
				c.rounds.Add(1)
			}
		}
	}()
	return nil
}

// doChurned ends it and compares how many came and went: ">= 20".
func (s *Session) doChurned(args []string) error {
	if err := need(args, 2, "churned >= N"); err != nil {
		return err
	}
	least, err := strconv.Atoi(args[1])
	if err != nil || args[0] != ">=" {
		return fmt.Errorf("usage: churned >= N")
	}
	c := s.churn
	if c == nil {
		return fmt.Errorf("no containers come and go")
	}
	close(c.stop)
	<-c.done
	s.churn = nil
	if failed := c.failed.Load(); failed != nil {
		s.Logf("the last that failed: %s", *failed)
	}
	if rounds := int(c.rounds.Load()); rounds < least {
		return fmt.Errorf("want %d containers that came and went, got %d", least, rounds)
	}
	return nil
}
