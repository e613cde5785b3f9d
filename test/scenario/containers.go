// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"slices"
	"strings"
)

func (s *Session) doContainer(args []string) error {
	if err := need(args, 3, "container HOST NAME --net NETWORK"); err != nil {
		return err
	}
	return s.changePorts(append([]string{"attach"}, network(args)...))
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

func (s *Session) doRemove(args []string) error {
	return s.changePorts(append([]string{"detach"}, args...))
}

func (s *Session) doCNI(args []string) error {
	return s.changePorts(append([]string{"cni"}, network(args)...))
}

// doPing pings, and repeats once if some answers are missing: while interfaces are added or removed, Open vSwitch rereads the routes of its
// host and may lose one packet of a tunnel. Scripts that permit no loss use pinging and lost.
func (s *Session) doPing(args []string) error {
	err := s.pingAll(args)
	if errors.Is(err, errSome) {
		s.Logf("some of the pings were lost: once more")
		err = s.pingAll(args)
	}
	return err
}

// errSome says that some pings were answered and others were not.
var errSome = errors.New("pings were lost")

func (s *Session) pingAll(args []string) error {
	if err := s.lab(append([]string{"ping"}, args...)...); err != nil {
		return err
	}
	if !strings.Contains(s.stdout(), " 0% packet loss") {
		return errSome
	}
	return nil
}

func (s *Session) doTCP(args []string) error { return s.lab(append([]string{"tcp"}, args...)...) }

func (s *Session) doLabel(args []string) error { return s.lab(append([]string{"label"}, args...)...) }

func (s *Session) doAsk(args []string) error { return s.lab(append([]string{"ask"}, args...)...) }
