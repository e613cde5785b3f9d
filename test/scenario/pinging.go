// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"fmt"
	"net/netip"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/lab"
)

// pingInterval is between two pings in the background.
const pingInterval = 10 * time.Millisecond

// pinging is a ping in the background.
type pinging struct {
	cmd     *exec.Cmd
	out     bytes.Buffer
	from    string
	pidFile string         // on the container's host, which sees it in /run/lab
	dropped map[string]int // by the switches, before
}

// answered is what ping(8) prints of each answer: when it came, in seconds, and its number.
var answered = regexp.MustCompile(`\[(\d+\.\d+)\].* icmp_seq=(\d+)`)

func (s *Session) doPinging(args []string) error {
	if err := need(args, 2, "pinging FROM TO"); err != nil {
		return err
	}
	if s.ping != nil {
		return fmt.Errorf("a ping runs already")
	}
	address := args[1]
	if _, err := netip.ParseAddr(address); err != nil {
		if address, err = s.address(args[1]); err != nil {
			return err
		}
	}
	p := &pinging{from: args[0], pidFile: "/run/lab/pinging.pid", dropped: s.drops()}
	script := fmt.Sprintf("echo $$ > %s; exec ping -n -D -i %v -W 1 %s", p.pidFile, pingInterval.Seconds(), address)
	p.cmd = exec.Command(filepath.Join(s.bin, lab.Program), s.labArgs([]string{"exec", p.from, "--", "sh", "-c", script})...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.WaitDelay = time.Second
	if err := p.cmd.Start(); err != nil {
		return err
	}
	s.ping = p
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		err := s.lab("exec", p.from, "--", "sh", "-c", "kill -0 $(cat "+p.pidFile+")")
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}

// doLost ends the ping and compares what it lost: "<= 3".
func (s *Session) doLost(args []string) error {
	if err := need(args, 2, "lost <= N"); err != nil {
		return err
	}
	limit, err := strconv.Atoi(args[1])
	if err != nil || args[0] != "<=" {
		return fmt.Errorf("usage: lost <= N")
	}
	p := s.ping
	if p == nil {
		return fmt.Errorf("no ping runs")
	}
	if err := s.lab("exec", p.from, "--", "sh", "-c", "kill -INT $(cat "+p.pidFile+")"); err != nil {
		return err
	}
	_ = p.cmd.Wait() // its exit code says only whether anything came back
	s.ping = nil
	// Those after the last answer may have been on their way when ping was stopped.
	last, seen := 0, map[int]string{}
	for _, m := range answered.FindAllStringSubmatch(p.out.String(), -1) {
		n, _ := strconv.Atoi(m[2])
		seen[n], last = m[1], max(last, n)
	}
	lost, at := last-len(seen), missed(seen, last)
	s.Logf("%d of %d pings were lost, at %v", lost, last, at)
	if lost > limit {
		excused, err := s.excused(at)
		if err != nil {
			return err
		}
		dropped := s.drops()
		s.Logf("%d while ports of the userspace datapath changed; dropped by switches: %s", excused, since(p.dropped, dropped))
		lost -= max(excused, dropped[stopped]-p.dropped[stopped])
	}
	if lost > limit || last == 0 {
		return fmt.Errorf("want at most %d lost, got %d of %d:\n%s", limit, lost, last, p.out.String())
	}
	return nil
}

// missed is about when each ping was sent that has no answer, from the answer before it.
func missed(seen map[int]string, last int) []time.Time {
	var at []time.Time
	for n, sent := 1, (time.Time{}); n <= last; n++ {
		if text, ok := seen[n]; ok {
			seconds, _ := strconv.ParseFloat(text, 64)
			sent = time.UnixMilli(int64(seconds * 1000))
			continue
		}
		sent = sent.Add(pingInterval)
		at = append(at, sent)
	}
	return at
}

// address is a container's first address, as "container" printed it: the lab knows.
func (s *Session) address(name string) (string, error) {
	if err := s.lab("exec", name, "--", "ip", "-4", "-o", "addr", "show", "dev", "eth0"); err != nil {
		return "", err
	}
	for word := range strings.FieldsSeq(s.stdout()) {
		if address, _, ok := strings.Cut(word, "/"); ok && strings.Contains(address, ".") {
			return address, nil
		}
	}
	return "", fmt.Errorf("%s has no IPv4 address", name)
}
