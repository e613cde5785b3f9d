// SPDX-License-Identifier: Apache-2.0

// Package plugin is a CNI plugin without any logic of CNI: it sends its environment and its standard input to the agent of its host, prints
// the agent's answer and ends with its exit code. So the agent determines checks, supported versions and error texts, and a new agent needs
// no new plugin. The plugin itself only reports that the agent is away, and answers VERSION meanwhile.
package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/cni/wire"
)

// Timeouts for the agent. The runtime retries; VERSION changes nothing, and is then answered without the agent.
const (
	callTimeout    = 60 * time.Second
	versionTimeout = 2 * time.Second
)

// Codes of the CNI specification, section "Error".
const (
	codeTryAgainLater = 11
	codeNotAvailable  = 50
)

// Plugin is one program.
type Plugin struct {
	Name   string // of the program
	Socket string // of the agent, unless the network configuration names another as "socket"
	// Timeout is how long it waits for an agent without a listening socket, as during a replacement; 0: not at all. VERSION does not wait.
	Timeout time.Duration
}

// Process has the arguments, environment and files of a program.
type Process struct {
	Args           []string // without the program's name
	Environ        []string // as of os.Environ
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// conf is the part of a network configuration that the plugin itself reads.
type conf struct {
	CNIVersion string `json:"cniVersion"`
	Socket     string `json:"socket"`
}

// Run is the program. It returns the exit code. It blocks until the agent has answered, for a minute at most, or for Timeout if there is no
// agent.
func (p Plugin) Run(c Process) int {
	started := time.Now()
	if len(c.Args) == 1 && (c.Args[0] == "-version" || c.Args[0] == "--version") {
		fmt.Fprintln(c.Stdout, "Version:", version())
		return 0
	}
	call, command := wire.Call{Environ: []string{wire.EnvStarted + "=" + strconv.FormatInt(started.UnixNano(), 10)}}, ""
	for _, v := range c.Environ {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "CNI_") || name == "TRACEPARENT" || name == "TRACESTATE" {
			call.Environ = append(call.Environ, v)
		}
		if name == "CNI_COMMAND" {
			command = value
		}
	}
	if command == "" {
		fmt.Fprintf(c.Stderr, "%s: CNI plugin of contiv, versions %s of CNI; container runtimes start it\n", p.Name, strings.Join(wire.Versions(), ", "))
		return 0
	}
	client, patience := wire.Client{Socket: p.Socket, Timeout: callTimeout}, p.Timeout
	var network conf
	if command == "VERSION" { // it may come without a configuration, and without an end of the standard input
		client.Timeout, patience = versionTimeout, 0
	} else {
		var err error
		if call.Stdin, err = io.ReadAll(io.LimitReader(c.Stdin, wire.MaxCall)); err != nil {
			return p.fail(c.Stdout, network, codeTryAgainLater, "read standard input: "+err.Error(), "")
		}
		if json.Unmarshal(call.Stdin, &network) == nil && network.Socket != "" { // the agent reports errors in it
			client.Socket = network.Socket
		}
	}
	answer, err := client.Do(call)
	// STATUS changes nothing, so it may also be repeated if an agent ends before it has answered.
	for end := time.Now().Add(patience); unserved(err) || command == "STATUS" && errors.Is(err, wire.ErrNoAgent); answer, err = client.Do(call) {
		if !time.Now().Before(end) {
			break
		}
		time.Sleep(pause)
	}
	if err != nil {
		return p.away(c.Stdout, command, network, client.Socket, err)
	}
	return p.write(c.Stdout, answer)
}

// pause is the interval of attempts to reach the agent.
const pause = 50 * time.Millisecond

// unserved reports whether no process serves a socket, so that no request was sent.
func unserved(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT)
}

// away answers without the agent. The runtime will retry, so a DEL is not lost; existing interfaces continue to work.
func (p Plugin) away(out io.Writer, command string, network conf, socket string, err error) int {
	remedy := "is netplugin running on this host, with its socket at " + socket + "?"
	if errors.Is(err, wire.ErrOlder) {
		remedy = "upgrade netplugin, which serves plugins of earlier builds too, before its CNI plugins"
	}
	switch command {
	case "VERSION":
		known := wire.Versions()
		return p.print(out, struct {
			CNIVersion string   `json:"cniVersion"`
			Supported  []string `json:"supportedVersions"`
		}{known[len(known)-1], known}, 0)
	case "STATUS":
		return p.fail(out, network, codeNotAvailable, err.Error(), remedy)
	}
	return p.fail(out, network, codeTryAgainLater, err.Error(), remedy)
}

// fail prints an error of the CNI specification.
func (p Plugin) fail(out io.Writer, network conf, code uint, msg, details string) int {
	return p.print(out, struct {
		CNIVersion string `json:"cniVersion,omitempty"`
		Code       uint   `json:"code"`
		Msg        string `json:"msg"`
		Details    string `json:"details,omitempty"`
	}{network.CNIVersion, code, msg, details}, 1)
}

func (p Plugin) print(out io.Writer, v any, exit int) int {
	text, err := json.Marshal(v)
	if err != nil {
		return 1
	}
	return p.write(out, wire.Answer{Stdout: append(text, '\n'), Exit: exit})
}

// write prints an answer. Failing to deliver it is a failure.
func (p Plugin) write(out io.Writer, a wire.Answer) int {
	if _, err := out.Write(a.Stdout); err != nil && a.Exit == 0 {
		return 1
	}
	return a.Exit
}

// version is the toolchain's note about the source. Package build would link the whole API, and net/http, into a program that is started
// for every container.
func version() string {
	if i, ok := debug.ReadBuildInfo(); ok {
		return i.Main.Version
	}
	return "unknown"
}
