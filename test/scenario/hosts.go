// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

func (s *Session) doHosts(args []string) error {
	flags := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") })
	if flags < 0 {
		flags = len(args)
	}
	s.hosts = args[:flags]
	for i, h := range s.hosts {
		if h != fmt.Sprintf("h%d", i+1) {
			return fmt.Errorf("hosts are h1, h2, ... in order, got %s", h)
		}
	}
	up := append([]string{"up", "--hosts", fmt.Sprint(len(s.hosts)), "--bin", s.bin, "--store", s.store}, args[flags:]...)
	if err := s.lab(up...); err != nil {
		return err
	}
	if err := s.lab("env"); err != nil {
		return err
	}
	for _, variable := range strings.Fields(strings.TrimPrefix(s.stdout(), "export ")) {
		name, value, _ := strings.Cut(variable, "=")
		s.Setenv(name, value)
	}
	s.Setenv("lab", strings.Join(append([]string{filepath.Join(s.bin, lab.Program)}, s.labArgs(nil)...), " "))
	return nil
}

// part is the verb for which the lab has a command of its own: "start PART HOST".
func part(command string) verb {
	return func(s *Session, args []string) error {
		if err := need(args, 2, "VERB PART HOST|leader|former"); err != nil {
			return err
		}
		host, err := s.host(args[1])
		if err != nil {
			return err
		}
		call := []string{command, host, args[0]}
		if command == "launch" {
			call = []string{"start", "--no-wait", host, args[0]}
		}
		if more := args[2:]; len(more) > 0 {
			call = slices.Concat(call, []string{"--"}, more)
		}
		return s.lab(call...)
	}
}

func (s *Session) doRestart(args []string) error {
	if err := part("stop")(s, args); err != nil {
		return err
	}
	return part("start")(s, args)
}

// host resolves the name of a host, of the leader, or of the last named leader.
func (s *Session) host(name string) (host string, err error) {
	switch name {
	case "leader":
		s.led, err = s.leader()
		return s.led, err
	case "former":
		return s.led, nil
	}
	return name, nil
}

// leader returns the host of the leading netmaster.
func (s *Session) leader() (string, error) {
	if err := s.run("netctl", "node", "ls", "--json"); err != nil {
		return "", err
	}
	var nodes []model.Node
	if err := json.Unmarshal([]byte(s.stdout()), &nodes); err != nil {
		return "", err
	}
	for _, n := range nodes {
		if n.Role == model.RoleLeader {
			// Management addresses end in the host's number.
			return "h" + n.Name[strings.LastIndex(n.Name, ".")+1:], nil
		}
	}
	return "", fmt.Errorf("no netmaster leads")
}

func (s *Session) doOn(args []string) error {
	if err := need(args, 2, "on HOST|NAME COMMAND"); err != nil {
		return err
	}
	return s.lab(slices.Concat([]string{"exec", args[0], "--"}, args[1:])...)
}
