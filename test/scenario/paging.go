// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/contiv/contiv/lab/hostinit"
	"github.com/contiv/contiv/test/machines/page"
	"github.com/contiv/contiv/trust"
)

// daemonLine is a line of a page that starts, stops or reloads netmaster, which on a host of a lab the lab does.
var daemonLine = regexp.MustCompile(`^(?:sudo )?systemctl (start|stop|restart|reload) contiv-netmaster$`)

// ownPaths are those of a page that on a host of a lab, which has a directory of its own, are below that.
var ownPaths = map[string]string{"/var/lib/contiv/": hostinit.Inside + "/var/lib/contiv/", "/etc/contiv/": hostinit.Inside + "/etc/contiv/", "sudo ": "", "eth0": "mgmt0",
	"mount /dev/vdb ": "mount --bind " + hostinit.Inside + "/disk "}

// moveLine is a line of a page that changes the address of a host, and starts the daemons again, which on a host of a lab the lab does.
var moveLine = regexp.MustCompile(`^contiv readdress [0-9.]+$`)

// pageAddress is how the addresses of hosts begin in a page.
const pageAddress = "10.254.2."

// doPage runs the blocks of a page of docs on the hosts that the lines before them name, and compares what they print with what the page
// shows: "page how-to/backup.md". A page's "h1" is the first host of the lab, which the hosts have joined.
func (s *Session) doPage(args []string) error {
	if err := need(args, 1, "page FILE"); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", args[0]))
	if err != nil {
		return err
	}
	blocks, err := page.Blocks(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	token := ""
	for _, b := range blocks {
		hosts := b.Hosts
		if hosts[0] == page.All {
			hosts = s.hosts
		}
		for _, host := range hosts {
			printed, err := s.pageBlock(host, invited.ReplaceAllLiteralString(b.Shell, token))
			if err != nil {
				return fmt.Errorf("%s: line %d: on %s: %w", args[0], b.Line, host, err)
			}
			if strings.Contains(b.Shell, "contiv join --master") { // which starts the daemons, on a host that is no lab's
				if err := part("start")(s, []string{"master", host}); err != nil {
					return fmt.Errorf("%s: line %d: %w", args[0], b.Line, err)
				}
			}
			if made := invitation.FindString(printed); made != "" {
				token = made
			}
			if missing := page.Matches(page.Masked(b.Prints), page.Masked(printed)); missing != "" {
				return fmt.Errorf("%s: line %d: want it to print %q, got:\n%s", args[0], b.Line, missing, printed)
			}
		}
	}
	return nil
}

// A page has TOKEN@ADDRESS where an operator types the invitation that was printed last: ID.SECRET.PIN@ADDRESS.
var (
	invited    = regexp.MustCompile(`TOKEN@[0-9.:]+`)
	invitation = regexp.MustCompile(`[a-z0-9]{8}\.[\w-]+\.[\w-]+@[0-9.:]+`)
)

// hostShell is contiv on a host of a lab, which starts the daemons itself, and where the checks of a machine would find the lab's.
const hostShell = `contiv() {
	case $1 in join) set -- "$@" --start no --force;; leave|readdress) set -- "$@" --start no;; esac
	command contiv "$@" --root ` + hostinit.Inside + `
}
`

// pageBlock runs a block on a host, and returns what it prints with the paths of the page.
func (s *Session) pageBlock(host, block string) (printed string, err error) {
	var script []string
	run := func() error {
		if len(script) == 0 {
			return nil
		}
		text := "set -e\n" + hostShell + strings.Join(script, "\n")
		script = nil
		err := s.lab("exec", host, "--", "sh", "-c", text)
		printed += s.stdout()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, s.ReadFile("stderr"))
		}
		return err
	}
	if block, err = s.addressed(block); err != nil {
		return "", err
	}
	for line := range strings.Lines(page.Substitute(block, ownPaths)) {
		line = strings.TrimRight(line, "\n")
		if moveLine.MatchString(line) {
			if err := run(); err != nil {
				return printed, err
			}
			script = []string{line}
			if err := run(); err == nil || !strings.Contains(err.Error(), "repeat contiv readdress") {
				return printed, fmt.Errorf("want to be asked to start the daemons, got %w", err)
			}
			for _, do := range []struct {
				verb verb
				part string
			}{{(*Session).doRestart, "master"}, {part("stop"), "agent"}, {part("launch"), "agent"}} {
				if err := do.verb(s, []string{do.part, host}); err != nil {
					return printed, err
				}
			}
			script = []string{"for try in 1 2 3 4 5 6 7 8 9; do " + line + " 2>/dev/null && exit; sleep 1; done; " + line}
			continue
		}
		at := daemonLine.FindStringSubmatch(line)
		if at == nil {
			script = append(script, line)
			continue
		}
		if err := run(); err != nil {
			return printed, err
		}
		if err := s.trustAs(s.hosts[0]); err != nil {
			return printed, err
		}
		do := map[string]verb{"start": part("start"), "stop": part("stop"), "restart": (*Session).doRestart, "reload": part("reload")}[at[1]]
		if err := do(s, []string{"master", host}); err != nil {
			return printed, err
		}
	}
	err = run()
	return strings.ReplaceAll(printed, hostinit.Inside+"/", "/"), err
}

// addressed is a block with the addresses of the lab's hosts in place of the page's.
func (s *Session) addressed(block string) (string, error) {
	if !strings.Contains(block, pageAddress) {
		return block, nil
	}
	if err := s.lab("exec", s.hosts[0], "--", "sh", "-c", "ip -4 -o address show mgmt0"); err != nil {
		return "", err
	}
	own := regexp.MustCompile(`10\.254\.[0-9]+\.`).FindString(s.stdout())
	return strings.ReplaceAll(block, pageAddress, own), nil
}

// trustAs has those who look at the lab trust what a host that has joined trusts, and be its user: a page may replace the authority.
func (s *Session) trustAs(host string) error {
	own := trust.Dir(s.Getenv("CONTIV_TRUST"))
	there := trust.Dir(filepath.Join(string(own), "..", host, trust.DefaultDir))
	trusted, err := there.Trusted()
	if err != nil {
		return err
	}
	user, err := os.ReadFile(there.PairFile(trust.User))
	if err != nil {
		return err
	}
	return errors.Join(own.SaveAuthority(trusted, nil), own.SavePair(trust.User, user))
}
