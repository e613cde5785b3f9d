package scenario

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
)

// serving is a program that serves in a container until the script ends.
type serving struct {
	cmd  *exec.Cmd
	hold io.Closer // it ends when its input does
}

// serve starts "contiv lab ARGS" in a container or on a host, and waits until it listens.
func (s *Session) serve(where string, args ...string) error {
	contiv := filepath.Join(s.bin, "contiv")
	inside := append([]string{"lab", "--dir", s.dir, "--name", s.name, "exec", where, "--", contiv, "lab"}, args...)
	v := &serving{cmd: exec.Command(contiv, inside...)}
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
		return fmt.Errorf("serve in %s: %q: %w", where, line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return nil
}

// doServing starts a name server: "serving NAME ADDRESS".
func (s *Session) doServing(args []string) error {
	if err := need(args, 2, "serving NAME ADDRESS"); err != nil {
		return err
	}
	return s.serve(args[0], "dns", "serve", args[1])
}

func (s *Session) doAsk(args []string) error { return s.lab(append([]string{"ask"}, args...)...) }

// stopServing ends all that serve.
func (s *Session) stopServing() {
	for _, v := range s.serves {
		_ = v.hold.Close()
		_ = v.cmd.Wait() // its end of the lab is gone
	}
}
