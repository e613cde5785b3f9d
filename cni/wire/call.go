// Package wire is what a CNI plugin and the agent of its host say to each other over a unix socket: the plugin hands over how it
// was called, and gets what it is to print and its exit code. It imports little: a plugin is started for every container.
package wire

import (
	"bytes"
	"errors"
)

// Where the agent listens unless it is told otherwise.
const (
	DefaultSocket = "/run/contiv/contiv-cni.sock"   // for contivk8s
	MesosSocket   = "/run/contiv/contiv-mesos.sock" // for netcontiv
)

// PathCall takes the body that Call.Encode makes, by POST. The answer's body is what the plugin prints, and its header HeaderExit
// the exit code.
const (
	PathCall   = "/cni"
	HeaderExit = "Cni-Exit"
)

// MaxCall bounds a Call in bytes: a network configuration with a garbage collector's list of a thousand attachments is below 200 kB.
const MaxCall = 4 << 20

// Versions are those of the CNI specification that every agent of this protocol knows. A plugin tells them while its agent is away.
func Versions() []string {
	return []string{"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"}
}

// Call is how a runtime started a plugin.
type Call struct {
	Environ []string // "NAME=VALUE"
	Stdin   []byte
}

// Answer is how the plugin ends.
type Answer struct {
	Stdout []byte
	Exit   int // from 0 to 255
}

// Encode writes the variables, each with a zero byte behind it, another zero byte and the standard input. A variable that is empty
// or holds a zero byte is left out; no process has one (environ(7)).
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

// DecodeCall reads what Encode wrote.
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
