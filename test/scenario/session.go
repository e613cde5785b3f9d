// Package scenario runs scripts that read like a session at a terminal against a lab: several hosts on this machine, each
// with a real Open vSwitch, and the real programs. Scripts are those of testscript, whose commands, quoting, conditions and
// files they have (https://pkg.go.dev/github.com/rogpeppe/go-internal/testscript). Beside them there are:
//
//	hosts h1 h2 [--masters N] [--store embedded|etcd|consul]
//	netctl ARGS...                       run netctl
//	container h1 web --net blue [--group g] [--tenant t]
//	remove web
//	cni add|del|check h1 web --net blue  call the CNI plugin and nothing else
//	ping web db [-6] [-c N]              succeeds when every ping is answered, at the second try if some are at the first
//	tcp web db PORT [-6]                 a MiB there and back
//	resolve web SERVER NAME [TYPE]       ask a name server over UDP
//	crash|halt|start|restart|pause|resume PART HOST      with SIGKILL, SIGTERM, ...; HOST may be "leader", or "former", the last one so named
//	start PART HOST FLAG...              start it with more flags this time
//	launch PART HOST FLAG...             the same, without waiting until it is ready
//	member remove|add HOST               tell the embedded store that a host's member is gone, or comes: $members are those that are then
//	router --peer ADDRESS@AS...          a BGP router on the trunks, AS 500 at 50.1.1.200/24, with 20.1.1.0/24 behind it
//	norouter ADDRESS/LENGTH              end the one with that --address: it withdraws what it announced
//	crashrouter ADDRESS/LENGTH           kill it: what it announced is withdrawn by no one
//	outside COMMAND...                   run a command on that router, where the switches between the hosts are: vtep and trunk, with ports h1-vtep, h1-trunk, ...
//	vtysh [--address A] -c COMMAND...    ask FRR, of a router with --daemon frr
//	serving web ADDRESS                  a name server that knows everyone by one address
//	flows h1 keep|same                   remember the flows of a host's switch when they have settled, compare them with that
//	pinging web db|ADDRESS               ping every 10 ms in the background
//	page how-to/backup.md                run the blocks of a page of docs, and compare what they print with what it shows
//	tutorial tut tutorials/docker.md     type the commands of a page at a shell, with the lab in place of tut, and compare what they print
//	lost <= N                            end that; no more than N pings were lost, beside one for each command that changed ports of the userspace datapath
//	talking c web db PORT [--stream]     open a connection c that says something 100 times a second; or have db alone speak, over UDP
//	talks c                              succeeds when it does so now
//	label web tier=front                 tell the masters a container's labels; none: that it has died
//	serve web PORT                       have a container tell its name, over TCP and UDP
//	ask db ADDRESS:PORT [-u] [-n N]      connect to one that serves, and print its name and the client that it sees
//	rate web db MBPS LEAST MOST          send UDP at a rate; it must arrive at a rate between two
//	on HOST|NAME COMMAND...              run a command there
//	sees REGEXP COMMAND...               run a command and look at what it printed
//	eventually COMMAND...                repeat a command until it succeeds
//	churning HOST...                     attach and detach containers of network blue there, in turn, in the background
//	churned >= N                         end that; at least N containers came and went
//	always N COMMAND...                  run a command N times; every time it must succeed
//
// All of these may be preceded by "!" and must fail then. What they run has the input that stdin has named.
package scenario

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/contiv/contiv/lab"
)

// commandLimit bounds every program that a script runs, in seconds.
const commandLimit = "90"

// Session is one run of a script, with a lab of its own.
type Session struct {
	*testscript.TestScript
	bin     string // directory of all programs
	dir     string // of the lab
	store   string // of labs whose script names none
	failed  func() bool
	hosts   []string
	led     string // host of the leader that was named last
	flows   map[string]string
	ping    *pinging
	changes []portChange // since the script's begin
	churn   *churning
	talks   map[string]*talking // open connections by name
	serves  []*serving
	sits    bool // a terminal was opened
}

// verb is a command of a script.
type verb func(s *Session, args []string) error

// verbs are the commands beside testscript's own. A verb that runs others gets them from it, so it is a function.
func verbs() map[string]verb {
	words := map[string]verb{
		"hosts": (*Session).doHosts, "on": (*Session).doOn, "netctl": program("netctl"), "console": (*Session).doConsole,
		"container": (*Session).doContainer, "remove": (*Session).doRemove, "label": (*Session).doLabel, "cni": (*Session).doCNI,
		"ping": (*Session).doPing, "tcp": (*Session).doTCP, "rate": (*Session).doRate, "resolve": (*Session).doResolve,
		"serve": (*Session).doServe, "ask": (*Session).doAsk, "serving": (*Session).doServing,
		"pinging": (*Session).doPinging, "lost": (*Session).doLost, "churning": (*Session).doChurning, "churned": (*Session).doChurned, "talking": (*Session).doTalking, "talks": (*Session).doTalks,
		"router": (*Session).doRouter, "norouter": (*Session).doNoRouter, "crashrouter": (*Session).doCrashRouter,
		"outside": (*Session).doOutside, "vtysh": (*Session).doVtysh, "flows": (*Session).doFlows, "member": (*Session).doMember,
		"sit": (*Session).doSit, "keys": (*Session).doKeys, "screen": (*Session).doScreen, "resize": (*Session).doResize,
		"sees": (*Session).doSees, "eventually": (*Session).doEventually, "always": (*Session).doAlways,
		"page": (*Session).doPage, "tutorial": (*Session).doTutorial, "restart": (*Session).doRestart, "crash": part("kill"), "halt": part("stop"),
	}
	for _, name := range []string{"start", "launch", "pause", "resume"} {
		words[name] = part(name)
	}
	return words
}

// commands are the verbs as testscript calls them.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	out := map[string]func(*testscript.TestScript, bool, []string){}
	for name, do := range verbs() {
		out[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			s := ts.Value(key{}).(*Session)
			s.TestScript = ts
			ts.Check(failing(neg, do(s, args)))
		}
	}
	return out
}

// key is the Session's among a script's values.
type key struct{}

// failing is the error of a command that is to fail, or of one that is not.
func failing(wanted bool, err error) error {
	switch {
	case wanted && err == nil:
		return errors.New("want it to fail, and it did not")
	case wanted:
		return nil
	}
	return err
}

// line runs a verb with its arguments, which "!" may precede.
func (s *Session) line(words []string) error {
	neg := len(words) > 0 && words[0] == "!"
	if neg {
		words = words[1:]
	}
	if len(words) == 0 {
		return errors.New("a command is missing")
	}
	do := verbs()[words[0]]
	if do == nil {
		return fmt.Errorf("unknown command %q", words[0])
	}
	return failing(neg, do(s, words[1:]))
}

// run runs one of our programs to its end, with the script's input and environment.
func (s *Session) run(name string, args ...string) error {
	if err := s.Exec("timeout", append([]string{"--kill-after=1", commandLimit, filepath.Join(s.bin, name)}, args...)...); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// stdout is what the last program printed.
func (s *Session) stdout() string { return s.ReadFile("stdout") }

// program is the verb that runs a program.
func program(name string) verb {
	return func(s *Session, args []string) error { return s.run(name, args...) }
}

// lab runs a lab command.
func (s *Session) lab(args ...string) error { return s.run(lab.Program, s.labArgs(args)...) }

// labArgs is the command line of a lab command.
func (s *Session) labArgs(args []string) []string {
	return append([]string{"--dir", s.dir, "--name", s.labName()}, args...)
}

// labName is the script's name, as much of it as a lab's may have.
func (s *Session) labName() string { return s.Name()[:min(len(s.Name()), 24)] }

// need checks how many arguments there are at least.
func need(args []string, n int, usage string) error {
	if len(args) < n {
		return fmt.Errorf("usage: %s", usage)
	}
	return nil
}

// doConsole prints one frame of a page.
func (s *Session) doConsole(args []string) error {
	if err := need(args, 1, "console PAGE [FLAGS]"); err != nil {
		return err
	}
	return s.run("contiv", append([]string{"console", "--once", "--width", "140", "--screen"}, args...)...)
}
