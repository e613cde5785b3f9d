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
//	start PART HOST FLAG...              start it with more flags this time; {members} is the list that "member add" left
//	launch PART HOST FLAG...             the same, without waiting until it is ready
//	member remove|add HOST               tell the embedded store that a host's member is gone, or comes
//	router --peer ADDRESS@AS...          a BGP router on the trunks, AS 500 at 50.1.1.200/24, with 20.1.1.0/24 behind it
//	norouter ADDRESS/LENGTH              end the one with that --address: it withdraws what it announced
//	crashrouter ADDRESS/LENGTH           kill it: what it announced is withdrawn by nobody
//	outside COMMAND...                   run a command on that router
//	vtysh [--address A] -c COMMAND...    ask FRR, of a router with --daemon frr
//	serving web ADDRESS                  a name server that knows everybody by one address
//	flows h1 keep|same                   remember the flows of a host's switch, compare them with that
//	pinging web db|ADDRESS               ping every 10 ms in the background
//	lost <= N                            end that; no more than N pings were lost
//	talking c web db PORT [--stream]     open a connection c that says something 100 times a second; or have db alone speak, over UDP
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
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// commandLimit bounds every program that a script runs.
const commandLimit = 90 * time.Second

// Session is one run of a script, with a lab of its own.
type Session struct {
	tb     testing.TB
	ctx    context.Context
	bin    string // folder of all programs
	dir    string // of the lab
	name   string
	store  string // of labs whose script names none
	hosts  []string
	led    string // host of the leader that was named last
	env    []string
	stdout string
	stderr string
	flows  map[string]string
	member string // the embedded store's members, as --embedded-cluster takes them
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
		"label": s.doLabel, "member": s.doMember, "serve": s.doServe, "ask": s.doAsk, "rate": s.doRate,
		"on":     s.doOn,
		"stdout": s.doStdout, "stderr": s.doStderr, "sees": s.doSees, "eventually": s.doEventually, "always": s.doAlways,
	}
	for _, v := range []string{"kill", "stop", "start", "launch", "pause", "resume"} {
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

// Run runs the script at path with the programs in bin and, unless it names another one, a kind of store (lab.StoreEtcd...).
// Its lab is gone when the test ends.
func Run(tb testing.TB, bin, path, store string) {
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
		tb: tb, ctx: tb.Context(), bin: bin, dir: dir, store: store, name: base[:min(len(base), 24)], flows: map[string]string{},
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

func (s *Session) doNetctl(args []string) error { return s.run("netctl", args...) }

// doConsole prints one frame of a page.
func (s *Session) doConsole(args []string) error {
	if err := need(args, 1, "console PAGE [FLAGS]"); err != nil {
		return err
	}
	return s.run("contiv", append([]string{"console", "--once", "--width", "140", "--screen"}, args...)...)
}
