// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/contiv/contiv/lab"
)

// serving is a program that serves in a container until the script ends.
type serving struct {
	cmd  *exec.Cmd
	hold io.Closer // it ends when its input does
	args []string
}

// serve starts "contiv lab ARGS", and waits until it listens.
func (s *Session) serve(args ...string) error {
	v := &serving{cmd: exec.Command(filepath.Join(s.bin, lab.Program), s.labArgs(args)...), args: args}
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	hold, err := v.cmd.StdinPipe()
	if err != nil {
		return err
	}
	v.hold = hold
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := v.cmd.Start(); err != nil {
		return err
	}
	s.serves = append(s.serves, v)
	r := bufio.NewReader(out)
	if line, err := r.ReadString('\n'); err != nil {
		return fmt.Errorf("%v: %q: %w", args, line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return nil
}

// doServing starts a name server: "serving NAME ADDRESS".
func (s *Session) doServing(args []string) error {
	if err := need(args, 2, "serving NAME ADDRESS"); err != nil {
		return err
	}
	return s.serve("exec", args[0], "--", filepath.Join(s.bin, lab.Program), "dns", "serve", args[1])
}

func (s *Session) doRouter(args []string) error {
	return s.serve(append([]string{"router"}, args...)...)
}

// doNoRouter ends a router, which withdraws what it announced; doCrashRouter kills one.
func (s *Session) doNoRouter(args []string) error {
	return s.endRouter(args, "norouter", func(v *serving) error { return v.hold.Close() })
}

func (s *Session) doCrashRouter(args []string) error {
	return s.endRouter(args, "crashrouter", func(v *serving) error { return syscall.Kill(-v.cmd.Process.Pid, syscall.SIGKILL) })
}

func (s *Session) endRouter(args []string, verb string, end func(*serving) error) error {
	if err := need(args, 1, verb+" ADDRESS/LENGTH"); err != nil {
		return err
	}
	i := slices.IndexFunc(s.serves, func(v *serving) bool { return v.args[0] == "router" && slices.Contains(v.args, args[0]) })
	if i < 0 {
		return fmt.Errorf("no router was started with --address %s", args[0])
	}
	v := s.serves[i]
	s.serves = slices.Delete(s.serves, i, i+1)
	if err := end(v); err != nil {
		return err
	}
	_ = v.cmd.Wait() // it was killed, or has left
	return nil
}

func (s *Session) doOutside(args []string) error {
	return s.lab(append([]string{"outside", "--"}, args...)...)
}

// doVtysh asks FRR: "vtysh [--address ADDRESS] -c COMMAND...".
func (s *Session) doVtysh(args []string) error {
	var where []string
	if len(args) > 2 && args[0] == "--address" {
		where, args = args[:2], args[2:]
	}
	return s.lab(slices.Concat([]string{"vtysh"}, where, []string{"--"}, args)...)
}

func (s *Session) doResolve(args []string) error {
	return s.lab(append([]string{"resolve"}, args...)...)
}

// doServe has a container send its name to every client: "serve NAME PORT".
func (s *Session) doServe(args []string) error {
	if err := need(args, 2, "serve NAME PORT"); err != nil {
		return err
	}
	return s.serve(append([]string{"serve"}, args...)...)
}

// doDelay delays packets between two hosts: "delay FROM TO DURATION". doNoDelay ends that: "nodelay FROM TO".
func (s *Session) doDelay(args []string) error {
	if err := need(args, 3, "delay FROM TO DURATION"); err != nil {
		return err
	}
	return s.serve(append([]string{"delay"}, args...)...)
}

func (s *Session) doNoDelay(args []string) error {
	if err := need(args, 2, "nodelay FROM TO"); err != nil {
		return err
	}
	i := slices.IndexFunc(s.serves, func(v *serving) bool {
		return len(v.args) > 2 && v.args[0] == "delay" && slices.Equal(v.args[1:3], args)
	})
	if i < 0 {
		return fmt.Errorf("packets of %s to %s are not delayed", args[0], args[1])
	}
	v := s.serves[i]
	s.serves = slices.Delete(s.serves, i, i+1)
	if err := v.hold.Close(); err != nil {
		return err
	}
	return v.cmd.Wait()
}

// stopServing ends all that serve.
func (s *Session) stopServing() {
	for _, v := range s.serves {
		_ = v.hold.Close()
		_ = v.cmd.Wait() // its end of the lab is gone
	}
}

// doRate measures what arrives of a UDP stream: "rate FROM TO MBPS LEAST MOST".
func (s *Session) doRate(args []string) error {
	if err := need(args, 5, "rate FROM TO MBPS LEAST MOST"); err != nil {
		return err
	}
	if err := s.lab(append([]string{"rate"}, args[:3]...)...); err != nil {
		return err
	}
	var got float64
	if _, err := fmt.Sscanf(s.stdout(), "%f", &got); err != nil {
		return fmt.Errorf("rate: %w", err)
	}
	for i, name := range []string{"least", "most"} {
		limit, err := strconv.ParseFloat(args[3+i], 64)
		if err != nil {
			return err
		}
		if (i == 0) == (got < limit) && got != limit {
			return fmt.Errorf("want at %s %s Mbit/s, got %.2f", name, args[3+i], got)
		}
	}
	s.Logf("%s Mbit/s offered, %.2f arrive", args[2], got)
	return nil
}
