// Package scenario runs scripts that read like a session at a terminal against a lab: several hosts on this machine, each
// with a real Open vSwitch, and the real programs. A script is the comment section of a txtar file, one command a line:
//
//	hosts h1 h2 [--masters N] [--store embedded|etcd|consul]
//	netctl ARGS...                       run netctl
//	container h1 web --net blue [--group g] [--tenant t]
//	remove web
//	cni add|del|check h1 web --net blue  call the CNI plugin and nothing else
//	ping web db [-6] [-c N]              succeeds when every ping is answered
//	tcp web db PORT [-6]                 a MiB there and back
//	resolve web SERVER NAME [TYPE]       ask a name server over UDP
//	kill|stop|start|restart|pause|resume PART HOST
//	router --peer ADDRESS@AS...          a BGP router on the trunks, AS 500 at 50.1.1.200/24, with 20.1.1.0/24 behind it
//	norouter ADDRESS/LENGTH              end the one with that --address: it withdraws what it announced
//	crashrouter ADDRESS/LENGTH           kill it: what it announced is withdrawn by nobody
//	outside COMMAND...                   run a command on that router
//	vtysh [--address A] -c COMMAND...    ask FRR, of a router with --daemon frr
//	serving web ADDRESS                  a name server that knows everybody by one address
//	flows h1 keep|same                   remember the flows of a host's switch, compare them with that
//	pinging web db|ADDRESS               ping every 10 ms in the background
//	lost <= N                            end that; no more than N pings were lost
//	talking c web db PORT                open a connection c that says something 100 times a second
//	talks c                              succeeds when it does so now
//	label web tier=front                 tell the masters a container's labels; none: that it has died
//	serve web PORT                       have a container tell its name, over TCP and UDP
//	ask db ADDRESS:PORT [-u] [-n N]      connect to one that serves, and print its name and the client that it sees
//	rate web db MBPS LEAST MOST          send UDP at a rate; it must arrive at a rate between two
//	on HOST|NAME COMMAND...              run a command there
//	stdout|stderr REGEXP                 look at what the last command printed
//	sees REGEXP COMMAND...               run a command and look at what it printed
//	eventually COMMAND...                repeat a command until it succeeds
//	always N COMMAND...                  run a command N times; every time it must succeed
//
// A line that begins with "!" must fail. "#" begins a comment; single quotes keep words together.
package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/contiv/contiv/api/model"
)

// patience bounds "eventually".
const patience = 20 * time.Second

// commandLimit bounds every program that a script runs.
const commandLimit = 90 * time.Second

// Session is one run of a script, with a lab of its own.
type Session struct {
	tb     testing.TB
	ctx    context.Context
	bin    string // folder of all programs
	dir    string // of the lab
	name   string
	hosts  []string
	led    string // host of the leader that was named last
	env    []string
	stdout string
	stderr string
	flows  map[string]string
	ping   *pinging
	talks  map[string]*talking // open connections by name
	serves []*serving
	sits   bool // a terminal was opened
	verbs  map[string]verb
}

// verb is a command of a script. It fills stdout and stderr.
type verb func(args []string) error

func (s *Session) vocabulary() map[string]verb {
	words := map[string]verb{
		"hosts": s.doHosts, "netctl": s.doNetctl, "console": s.doConsole, "sit": s.doSit, "keys": s.doKeys, "screen": s.doScreen, "resize": s.doResize, "container": s.doContainer, "remove": s.doRemove, "cni": s.doCNI,
		"ping": s.doPing, "tcp": s.doTCP, "resolve": s.doResolve, "serving": s.doServing, "router": s.doRouter, "norouter": s.doNoRouter, "crashrouter": s.doCrashRouter, "outside": s.doOutside, "vtysh": s.doVtysh, "flows": s.doFlows, "pinging": s.doPinging, "lost": s.doLost, "talking": s.doTalking, "talks": s.doTalks,
		"label": s.doLabel, "serve": s.doServe, "ask": s.doAsk, "rate": s.doRate,
		"on":     s.doOn,
		"stdout": s.doStdout, "stderr": s.doStderr, "sees": s.doSees, "eventually": s.doEventually, "always": s.doAlways,
	}
	for _, v := range []string{"kill", "stop", "start", "pause", "resume"} {
		words[v] = func(args []string) error { return s.doPart(v, args) }
	}
	words["restart"] = func(args []string) error {
		if err := s.doPart("stop", args); err != nil {
			return err
		}
		return s.doPart("start", args)
	}
	return words
}

// Run runs the script at path with the programs in bin. Its lab is gone when the test ends.
func Run(tb testing.TB, bin, path string) {
	tb.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "scn")
	if err != nil {
		tb.Fatal(err)
	}
	base := strings.TrimSuffix(filepath.Base(path), ".txtar")
	s := &Session{
		tb: tb, ctx: tb.Context(), bin: bin, dir: dir, name: base[:min(len(base), 24)], flows: map[string]string{},
		talks: map[string]*talking{},
	}
	s.verbs = s.vocabulary()
	tb.Cleanup(s.end)
	for n, line := range strings.Split(string(archive.Comment), "\n") {
		words, err := split(line)
		if err != nil {
			tb.Fatalf("%s:%d: %v", path, n+1, err)
		}
		if len(words) == 0 {
			continue
		}
		began := time.Now()
		if err := s.line(words); err != nil {
			tb.Fatalf("%s:%d: %s\n%v\nstdout: %s\nstderr: %s", path, n+1, line, err, s.stdout, s.stderr)
		}
		tb.Logf("%6d ms  %s", time.Since(began).Milliseconds(), strings.TrimSpace(line))
	}
}

// line runs one line.
func (s *Session) line(words []string) error {
	fails := words[0] == "!"
	if fails {
		words = words[1:]
	}
	err := s.do(words)
	switch {
	case fails && err == nil:
		return fmt.Errorf("want it to fail, and it did not")
	case fails:
		return nil
	}
	return err
}

func (s *Session) do(words []string) error {
	if len(words) == 0 {
		return fmt.Errorf("a command is missing")
	}
	do := s.verbs[words[0]]
	if do == nil {
		return fmt.Errorf("unknown command %q", words[0])
	}
	return do(words[1:])
}

// split makes words of a line.
func split(line string) ([]string, error) {
	var words []string
	word, quoted, begun := "", false, false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, begun = !quoted, true
		case !quoted && r == '#' && !begun:
			return words, nil
		case !quoted && (r == ' ' || r == '\t'):
			if begun {
				words = append(words, word)
			}
			word, begun = "", false
		default:
			word, begun = word+string(r), true
		}
	}
	if quoted {
		return nil, fmt.Errorf("a quote is not closed")
	}
	if begun {
		words = append(words, word)
	}
	return words, nil
}

// run runs a program to its end.
func (s *Session) run(name string, args ...string) error {
	ctx, cancel := context.WithTimeout(s.ctx, commandLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	cmd.Env = append(os.Environ(), s.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	s.stdout, s.stderr = out.String(), errs.String()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// lab runs a lab command.
func (s *Session) lab(args ...string) error {
	return s.run("contiv", append([]string{"lab", "--dir", s.dir, "--name", s.name}, args...)...)
}

// need checks how many arguments there are at least.
func need(args []string, n int, usage string) error {
	if len(args) < n {
		return fmt.Errorf("usage: %s", usage)
	}
	return nil
}

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
	up := append([]string{"up", "--hosts", fmt.Sprint(len(s.hosts)), "--bin", s.bin}, args[flags:]...)
	if err := s.lab(up...); err != nil {
		return err
	}
	if err := s.lab("env"); err != nil {
		return err
	}
	s.env = []string{strings.TrimPrefix(strings.TrimSpace(s.stdout), "export ")}
	return nil
}

func (s *Session) doNetctl(args []string) error { return s.run("netctl", args...) }

// doConsole prints one frame of a page.
func (s *Session) doConsole(args []string) error {
	if err := need(args, 1, "console PAGE [FLAGS]"); err != nil {
		return err
	}
	return s.run("contiv", append([]string{"console", "--once", "--width", "140", "--screen"}, args...)...)
}

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
	if !strings.Contains(s.stdout, " 0% packet loss") {
		return fmt.Errorf("pings were lost")
	}
	return nil
}

func (s *Session) doTCP(args []string) error { return s.lab(append([]string{"tcp"}, args...)...) }

func (s *Session) doLabel(args []string) error { return s.lab(append([]string{"label"}, args...)...) }

func (s *Session) doAsk(args []string) error { return s.lab(append([]string{"ask"}, args...)...) }

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
	return s.lab(verb, host, args[0])
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

func (s *Session) doStdout(args []string) error { return match(s.stdout, args) }
func (s *Session) doStderr(args []string) error { return match(s.stderr, args) }

func (s *Session) doSees(args []string) error {
	if err := need(args, 2, "sees REGEXP COMMAND"); err != nil {
		return err
	}
	if err := s.do(args[1:]); err != nil {
		return err
	}
	return match(s.stdout, args[:1])
}

func match(text string, args []string) error {
	if err := need(args, 1, "stdout|stderr REGEXP"); err != nil {
		return err
	}
	re, err := regexp.Compile("(?m)" + args[0])
	if err != nil {
		return err
	}
	if !re.MatchString(text) {
		return fmt.Errorf("want a match of %s, got:\n%s", args[0], text)
	}
	return nil
}

func (s *Session) doEventually(args []string) error {
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := s.line(args)
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}

func (s *Session) doAlways(args []string) error {
	if err := need(args, 2, "always N COMMAND"); err != nil {
		return err
	}
	var n int
	if _, err := fmt.Sscanf(args[0], "%d", &n); err != nil {
		return fmt.Errorf("always %s: %w", args[0], err)
	}
	for range n {
		if err := s.line(args[1:]); err != nil {
			return err
		}
	}
	return nil
}

// doFlows compares without what changes by itself: counters, ages and the order.
func (s *Session) doFlows(args []string) error {
	if err := need(args, 2, "flows HOST keep|same"); err != nil {
		return err
	}
	host := args[0]
	var all []string
	for _, what := range []string{"dump-flows", "dump-groups"} {
		if err := s.lab("exec", host, "--", "ovs-ofctl", "-O", "OpenFlow13", "--no-stats", what, "contiv0"); err != nil {
			return err
		}
		lines := strings.Split(strings.TrimSpace(s.stdout), "\n")
		all = append(all, lines[min(1, len(lines)):]...) // the first line has the transaction's number
	}
	all = slices.DeleteFunc(all, func(line string) bool { return strings.Contains(line, "hard_timeout=") }) // leased: they come and go with the agent
	slices.Sort(all)
	text := strings.Join(all, "\n")
	switch args[1] {
	case "keep":
		s.flows[host] = text
		return nil
	case "same":
		if text != s.flows[host] {
			return fmt.Errorf("the flows of %s are not the same:\n%s", host, difference(s.flows[host], text))
		}
		return nil
	}
	return fmt.Errorf("flows %s: keep or same is wanted", args[1])
}

// difference lists the lines of one text alone.
func difference(before, after string) string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	var text []string
	for _, l := range a {
		if !slices.Contains(b, l) {
			text = append(text, "- "+l)
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			text = append(text, "+ "+l)
		}
	}
	return strings.Join(text, "\n")
}

// crashed is how the Go runtime, and its race detector, begin to tell of a program's end.
var crashed = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: goroutine |WARNING: DATA RACE)`)

// noPanics fails the test when a master or agent has panicked, whatever else went well.
func (s *Session) noPanics() {
	for _, h := range s.hosts {
		for _, part := range []string{"master", "agent"} {
			if err := s.lab("logs", h, part); err != nil {
				continue // the host has none
			}
			if at := crashed.FindStringIndex(s.stdout); at != nil {
				s.tb.Errorf("%s of %s crashed:\n%s", part, h, s.stdout[at[0]:min(len(s.stdout), at[0]+2000)])
			}
		}
	}
}

// end ends the lab and, after a failure, shows what its programs logged.
func (s *Session) end() {
	s.ctx = context.Background()
	if s.tb.Failed() {
		for _, h := range s.hosts {
			for _, part := range []string{"master", "agent", "ovs"} {
				if err := s.lab("logs", h, part); err == nil {
					lines := strings.Split(strings.TrimSpace(s.stdout), "\n")
					s.tb.Logf("the end of the log of %s on %s:\n%s", part, h, strings.Join(lines[max(0, len(lines)-12):], "\n"))
				}
			}
		}
	}
	s.noPanics()
	if err := s.lab("down"); err != nil {
		s.tb.Errorf("lab down: %v: %s", err, s.stderr)
	}
	if s.ping != nil {
		_ = s.ping.cmd.Process.Kill()
		_ = s.ping.cmd.Wait() // what it ran ended with the lab
	}
	s.hangUp()
	s.stopServing()
	_ = os.RemoveAll(s.dir)
}
