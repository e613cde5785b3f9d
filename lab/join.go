// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab/hostinit"
	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/trust"
)

// setupOf is a host as contiv init and contiv join make it: below its directory, by its path on this machine.
func (p *Plan) setupOf(host int) *setup.Host {
	return &setup.Host{Root: p.hostDir(hostName(host)), Bin: p.Bin}
}

// daemons are the parts that contiv init and contiv join configure.
var daemons = map[string]string{PartMaster: setup.Netmaster, PartAgent: setup.Netplugin}

// printed is the environment of a part, as written by contiv init or contiv join.
func (l *Lab) printed(host int, part string) (out []string, err error) {
	daemon, ok := daemons[part]
	if !l.Joined || !ok {
		return nil, nil
	}
	env := l.setupOf(host).Variables(daemon)
	if env == nil {
		return nil, fmt.Errorf("host %d has no settings of %s: contiv init and contiv join write them", host, daemon)
	}
	for name, value := range env {
		out = append(out, name+"="+value)
	}
	return out, nil
}

// join makes the first host start a cluster and the others join it, as an operator does who runs contiv init there and the printed command
// on the others. Their netmasters run when it returns.
func (l *Lab) join(ctx context.Context) error {
	mode := "kubernetes"
	if l.Docker {
		mode = "docker"
	}
	if _, err := l.contiv(ctx, 1, "init", append(l.wishes(1), "--mode", mode, "--netmode", "vlan", "--fwdmode", "bridge")...); err != nil {
		return err
	}
	if err := l.useTrust(); err != nil {
		return err
	}
	if err := l.begin(ctx, 1); err != nil {
		return err
	}
	if err := l.listed(ctx); err != nil {
		return err
	}
	for host := 2; host <= l.Hosts; host++ {
		if err := l.invite(ctx, host, 1, host <= l.Masters); err != nil {
			return err
		}
		if host <= l.Masters {
			if err := l.begin(ctx, host); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin starts the netmaster of a host, and waits until it is ready.
func (l *Lab) begin(ctx context.Context, host int) error {
	if err := l.startPart(host, PartMaster); err != nil {
		return err
	}
	return l.awaitPart(ctx, host, PartMaster)
}

// wishes are an operator's settings of a host of the lab.
func (l *Lab) wishes(host int) []string {
	return []string{"--root", hostinit.Inside, "--start", "no", "--label", hostName(host), "--address", l.mgmt(host), "--vtep-ip", l.vtep(host),
		"--vlan-uplinks", strings.Join(l.uplinks(), ",")}
}

// contiv runs a command of the program contiv on a host, and returns its output. The lab prints what it does.
func (l *Lab) contiv(ctx context.Context, host int, command string, args ...string) (string, error) {
	program := filepath.Join(cmp.Or(l.Bin, filepath.Dir(l.self)), "contiv")
	began := time.Now()
	cmd, err := l.Command(ctx, hostName(host), append([]string{program, command}, args...)...)
	if err != nil {
		return "", err
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: contiv %s: %w: %s", hostName(host), command, err, strings.TrimSpace(errs.String()+string(out)))
	}
	if command != "token" {
		l.printf("%s: contiv %s (%v)", hostName(host), command, time.Since(began).Round(time.Millisecond))
	}
	return strings.TrimSpace(string(out)), nil
}

// Contiv runs the program contiv on a host as an operator does, and returns its output. An error includes its error output.
func (l *Lab) Contiv(ctx context.Context, host, command string, args ...string) (string, error) {
	n := l.hostNumber(host)
	if n == 0 {
		return "", fmt.Errorf("there is no host %s", host)
	}
	return l.contiv(ctx, n, command, append(args, "--root", hostinit.Inside)...)
}

// Rejoin makes a host a host with a netmaster again, with a token that another host creates. Its netmaster does not run when it returns.
func (l *Lab) Rejoin(ctx context.Context, host, by string) error {
	n, from := l.hostNumber(host), l.hostNumber(by)
	if n == 0 || from == 0 {
		return fmt.Errorf("there is no host %s, or no %s", host, by)
	}
	return l.invite(ctx, n, from, true, "--force")
}

// invite makes a host join by a token that another one creates.
func (l *Lab) invite(ctx context.Context, host, by int, master bool, more ...string) error {
	wanted := []string{"create", "--root", hostinit.Inside}
	if master {
		wanted = append(wanted, "--master")
	}
	line, err := l.contiv(ctx, by, "token", wanted...)
	if err != nil {
		return err
	}
	words := strings.Fields(line)
	if len(words) < 3 || words[0] != "contiv" {
		return fmt.Errorf("contiv token create printed %q, which is no command", line)
	}
	_, err = l.contiv(ctx, host, words[1], slices.Concat(words[2:], l.wishes(host), more)...)
	return err
}

// useTrust gives the users of the lab on this machine certificates of the cluster's CA: the first host's user, and others for the lab's own
// checks.
func (l *Lab) useTrust() error {
	first, own := l.HostTrust(hostName(1)), l.Trust()
	a, err := first.Authority()
	if err != nil {
		return err
	}
	certificate, _, err := a.PEM()
	if err != nil {
		return err
	}
	user, err := os.ReadFile(first.PairFile(trust.User))
	if err != nil {
		return err
	}
	return errors.Join(own.SaveAuthority(certificate, nil), own.SavePair(trust.User, user), looks(own, a, time.Now()))
}

// listed registers the certificates that contiv init has issued before a netmaster ran.
func (l *Lab) listed(ctx context.Context) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	c.Timeout = startTimeout
	held, _ := l.setupOf(1).Held()
	return c.RecordCertificates(ctx, model.RecordRequest{Certificates: held})
}
