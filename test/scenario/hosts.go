package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
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
	s.env = []string{strings.TrimPrefix(strings.TrimSpace(s.stdout), "export ")}
	return nil
}

func (s *Session) doPart(verb string, args []string) error {
	if err := need(args, 2, verb+" PART HOST|leader"); err != nil {
		return err
	}
	host := args[1]
	if host == "leader" {
		var err error
		if host, err = s.leader(); err != nil {
			return err
		}
		s.led = host
	}
	if host == "former" { // the host of the last leader that was named
		host = s.led
	}
	call := []string{verb, host, args[0]}
	if verb == "launch" {
		call = []string{"start", "--no-wait", host, args[0]}
	}
	if more := args[2:]; len(more) > 0 {
		call = append(call, "--")
		for _, flag := range more {
			call = append(call, strings.ReplaceAll(flag, "{members}", s.member))
		}
	}
	return s.lab(call...)
}

// leader is the host whose netmaster leads.
func (s *Session) leader() (string, error) {
	if err := s.run("netctl", "node", "ls", "-o", "json"); err != nil {
		return "", err
	}
	var nodes []model.Node
	if err := json.Unmarshal([]byte(s.stdout), &nodes); err != nil {
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
