// SPDX-License-Identifier: Apache-2.0

// Package scenario runs scripts that read like a session at a terminal against a lab: several hosts on this machine, each
// with a real Open vSwitch, and the real programs. Scripts have the commands, quoting, conditions and files of testscript
// (https://pkg.go.dev/github.com/rogpeppe/go-internal/testscript). Further commands are:
//
//	hosts h1 h2 [--masters N] [--store embedded|etcd|consul]
//	netctl ARGS...                       run netctl
//	container h1 web --net blue [--group g] [--tenant t]
//	remove web
//	cni add|del|check h1 web --net blue  call the CNI plugin and nothing else
//	ping web db [-6] [-c N]              succeeds if every ping is answered; if only some are, it is repeated once
//	tcp web db PORT [-6]                 send a MiB there and back
//	resolve web SERVER NAME [TYPE]       ask a name server over UDP
//	crash|halt|start|restart|reload|pause|resume PART HOST  with SIGKILL, SIGTERM, ...; HOST may be "leader", or "former", the last one so named
//	start PART HOST FLAG...              start it with additional flags, for this run only
//	launch PART HOST FLAG...             the same, without waiting until it is ready
//	member remove|add HOST               remove a host's member from the embedded store, or add it, and set $members to the new members
//	router --peer ADDRESS@AS...          start a BGP router on the trunks, AS 500 at 50.1.1.200/24, with 20.1.1.0/24 behind it
//	norouter ADDRESS/LENGTH              stop the router with that --address: it withdraws its routes
//	crashrouter ADDRESS/LENGTH           kill that router: its routes are not withdrawn
//	outside COMMAND...                   run a command on that router, where the switches between the hosts are: vtep and trunk, with ports h1-vtep, h1-trunk, ...
//	vtysh [--address A] -c COMMAND...    run a command of FRR on a router with --daemon frr
//	serving web ADDRESS                  start a name server that resolves every name to one address
//	flows h1 keep|same                   keep the flows of a host's switch when they have settled, or compare them with the kept ones
//	pinging web db|ADDRESS               ping every 10 ms in the background
//	page how-to/backup.md                run the blocks of a page of docs, and compare their output with that on the page
//	tutorial tut tutorials/docker.md     type the commands of a page at a shell, with the lab in place of tut, and compare their output
//	lost <= N                            stop pinging; at most N pings were lost, plus one for each command that changed ports of the userspace datapath
//	talking c web db PORT [--stream]     open a connection c that sends a message 100 times a second; with --stream, only db sends, over UDP
//	talks c                              succeeds if connection c passes messages now
//	label web tier=front                 report a container's labels to the masters; without labels, report that it died
//	serve web PORT                       start a server in a container that answers with the container's name, over TCP and UDP
//	ask db ADDRESS:PORT [-u] [-n N]      connect to such a server, and print its name and the client that it sees
//	rate web db MBPS LEAST MOST          send UDP at a rate; the rate of arrival must be between LEAST and MOST
//	delay h1 h2 600ms                    have packets of h1 to h2 in the management network wait
//	nodelay h1 h2                        end that
//	on HOST|NAME COMMAND...              run a command there
//	differs REGEXP HOST COMMAND...       change the host's switch, and match the output of netctl drift; repeat both if the agent has repaired the change meanwhile
//	collector                            start an OpenTelemetry collector, and set $collector to its URL
//	traces REGEXP...                     succeeds if the collector has, or gets, a trace with such spans: the name of each, below those of its parents
//	alertmanager                         start a receiver of alerts, and set $alertmanager to its URL
//	alerts [--never] REGEXP...           succeeds if the receiver has, or gets, such lines: firing|resolved SEVERITY NAME OBJECT for each state that an alert enters; repeated-firing is a repetition out of turn
//	task NAME ANCHOR KEY|COMMAND...      begin a task of an operator's day, which may take as many keys (k9s, lazygit, bottom) or commands as the anchor needs
//	home                                 end a task, and take the console back to its first page
//	sh LINE                              run a line of a shell
//	pressed KEY REGEXP                   press a key, and want an expression on the screen
//	tasks N                              end the last task; there were N
//	sees REGEXP COMMAND...               run a command and match its output
//	eventually COMMAND...                repeat a command until it succeeds
//	churning HOST...                     attach and detach containers of network blue there, in turn, in the background
//	churned >= N                         stop churning; at least N containers were attached and detached
//	always N COMMAND...                  run a command N times; it must succeed each time
//
// Each command may be preceded by "!" and must fail then. The programs that they run have the input that stdin names.
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

// Session is one run of a script, with its own lab.
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
	task    *task
	tasks   int // that have begun
	spans   *collector
	alerts  *alertmanager
}

// verb is a command of a script.
type verb func(s *Session, args []string) error

// verbs returns the commands besides those of testscript. It is a function because some verbs run others.
func verbs() map[string]verb {
	words := map[string]verb{
		"hosts": (*Session).doHosts, "on": (*Session).doOn, "netctl": program("netctl"), "console": (*Session).doConsole,
		"container": (*Session).doContainer, "remove": (*Session).doRemove, "label": (*Session).doLabel, "cni": (*Session).doCNI,
		"ping": (*Session).doPing, "tcp": (*Session).doTCP, "rate": (*Session).doRate, "resolve": (*Session).doResolve,
		"serve": (*Session).doServe, "ask": (*Session).doAsk, "serving": (*Session).doServing, "delay": (*Session).doDelay, "nodelay": (*Session).doNoDelay,
		"pinging": (*Session).doPinging, "lost": (*Session).doLost, "churning": (*Session).doChurning, "churned": (*Session).doChurned, "talking": (*Session).doTalking, "talks": (*Session).doTalks,
		"router": (*Session).doRouter, "norouter": (*Session).doNoRouter, "crashrouter": (*Session).doCrashRouter,
		"outside": (*Session).doOutside, "vtysh": (*Session).doVtysh, "flows": (*Session).doFlows, "member": (*Session).doMember,
		"sit": (*Session).doSit, "keys": (*Session).doKeys, "screen": (*Session).doScreen, "resize": (*Session).doResize,
		"sees": (*Session).doSees, "differs": (*Session).doDiffers, "collector": (*Session).doCollector, "traces": (*Session).doTraces, "alertmanager": (*Session).doAlertmanager, "alerts": (*Session).doAlerts,
		"eventually": (*Session).doEventually, "always": (*Session).doAlways,
		"task": (*Session).doTask, "tasks": (*Session).doTasks, "home": (*Session).doHome, "sh": (*Session).doSh, "pressed": (*Session).doPressed,
		"page": (*Session).doPage, "tutorial": (*Session).doTutorial, "restart": (*Session).doRestart, "crash": part("kill"), "halt": part("stop"),
	}
	for _, name := range []string{"start", "launch", "reload", "pause", "resume"} {
		words[name] = part(name)
	}
	return words
}

// commands returns the verbs as commands of testscript.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	out := map[string]func(*testscript.TestScript, bool, []string){}
	for name, do := range verbs() {
		out[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			s := ts.Value(key{}).(*Session)
			s.TestScript = ts
			s.task.count(append([]string{name}, args...))
			ts.Check(failing(neg, do(s, args)))
		}
	}
	return out
}

// key is the Session's among a script's values.
type key struct{}

// failing returns the error of a command that must fail, or of one that must not.
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

// stdout returns the output of the last program.
func (s *Session) stdout() string { return s.ReadFile("stdout") }

// program returns the verb that runs a program.
func program(name string) verb {
	return func(s *Session, args []string) error { return s.run(name, args...) }
}

// lab runs a lab command.
func (s *Session) lab(args ...string) error { return s.run(lab.Program, s.labArgs(args)...) }

// labArgs returns the command line of a lab command.
func (s *Session) labArgs(args []string) []string {
	return append([]string{"--dir", s.dir, "--name", s.labName()}, args...)
}

// labName returns the script's name, cut to the length of a lab's name.
func (s *Session) labName() string { return s.Name()[:min(len(s.Name()), 24)] }

// need checks the minimum number of arguments.
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
