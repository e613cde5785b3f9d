package scenario

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
)

// serving is a container that serves; it does so until its input ends.
type serving struct {
	cmd  *exec.Cmd
	hold io.Closer
}

// doServe has a container tell its name to everybody who connects: "serve NAME PORT".
func (s *Session) doServe(args []string) error {
	if err := need(args, 2, "serve NAME PORT"); err != nil {
		return err
	}
	x := serving{cmd: exec.Command(filepath.Join(s.bin, "contiv"), append([]string{"lab", "--dir", s.dir, "--name", s.name, "serve"}, args...)...)}
	hold, err := x.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := x.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	x.hold = hold
	if err := x.cmd.Start(); err != nil {
		return err
	}
	s.serves = append(s.serves, x)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return fmt.Errorf("%s does not serve: %w", args[0], err)
	}
	return nil
}

// closeUp ends all that serve.
func (s *Session) closeUp() {
	for _, x := range s.serves {
		_ = x.hold.Close()
		_ = x.cmd.Wait()
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
	if _, err := fmt.Sscanf(s.stdout, "%f", &got); err != nil {
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
	s.tb.Logf("          %s Mbit/s offered, %.2f arrive", args[2], got)
	return nil
}
