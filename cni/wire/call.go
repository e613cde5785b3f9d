// SPDX-License-Identifier: Apache-2.0

// Package wire is the protocol between a CNI plugin and the agent of its host over a unix socket: the plugin sends its arguments, and
// receives its output and exit code. It has few imports: a plugin is started for every container.
package wire

import (
	"bytes"
	"errors"
)

// The default sockets of the agent.
const (
	DefaultSocket = "/run/contiv/contiv-cni.sock"   // for contivk8s
	MesosSocket   = "/run/contiv/contiv-mesos.sock" // for netcontiv
)

// PathCall accepts the body of Call.Encode, by POST. The answer's body is the plugin's output, and its header HeaderExit the exit code.
const (
	PathCall   = "/cni"
	HeaderExit = "Cni-Exit"
)

// EnvStarted is a variable that a plugin adds to its own: when it started, in nanoseconds since 1970.
const EnvStarted = "CONTIV_CNI_STARTED"

// MaxCall bounds a Call in bytes: a network configuration with a garbage collector's list of a thousand attachments is below 200 kB.
const MaxCall = 4 << 20

// Versions are those of the CNI specification that every agent of this protocol supports. A plugin prints them while its agent is away.
func Versions() []string {
	return []string{"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"}
}

// Call has the arguments of a plugin.
type Call struct {
	Environ []string // "NAME=VALUE"
	Stdin   []byte
}

// Answer is the result of a plugin.
type Answer struct {
	Stdout []byte
	Exit   int // from 0 to 255
}

// Encode writes the variables, each followed by a zero byte, another zero byte and the standard input. It leaves out a variable that is
// empty or holds a zero byte; no process has one (environ(7)).
func (c *Call) Encode() []byte {
	var out bytes.Buffer
	for _, v := range c.Environ {
		if v != "" && bytes.IndexByte([]byte(v), 0) < 0 {
			out.WriteString(v)
			out.WriteByte(0)
		}
	}
	out.WriteByte(0)
	out.Write(c.Stdin)
	return out.Bytes()
}

// DecodeCall decodes the output of Encode.
func DecodeCall(body []byte) (Call, error) {
	var c Call
	for {
		v, rest, ok := bytes.Cut(body, []byte{0})
		if !ok {
			return Call{}, errors.New("read call: the variables have no end")
		}
		if body = rest; len(v) == 0 {
			c.Stdin = body
			return c, nil
		}
		c.Environ = append(c.Environ, string(v))
	}
}
