package scenario

import (
	"fmt"
	"slices"
	"strings"
)

func (s *Session) doContainer(args []string) error {
	if err := need(args, 3, "container HOST NAME --net NETWORK"); err != nil {
		return err
	}
	return s.lab(append([]string{"attach"}, network(args)...)...)
}

// network spells --net as the lab does.
func network(args []string) []string {
	list := slices.Clone(args)
	for i, a := range list {
		if a == "--net" {
			list[i] = "--network"
		}
	}
	return list
}

func (s *Session) doRemove(args []string) error { return s.lab(append([]string{"detach"}, args...)...) }

func (s *Session) doCNI(args []string) error {
	return s.lab(append([]string{"cni"}, network(args)...)...)
}

func (s *Session) doPing(args []string) error {
	if err := s.lab(append([]string{"ping"}, args...)...); err != nil {
		return err
	}
	if !strings.Contains(s.stdout(), " 0% packet loss") {
		return fmt.Errorf("pings were lost")
	}
	return nil
}

func (s *Session) doTCP(args []string) error { return s.lab(append([]string{"tcp"}, args...)...) }

func (s *Session) doLabel(args []string) error { return s.lab(append([]string{"label"}, args...)...) }

func (s *Session) doAsk(args []string) error { return s.lab(append([]string{"ask"}, args...)...) }
