package model

import (
	"cmp"
	"fmt"
	"strings"
)

// DockerStatus is what an agent knows of its host's Docker engine.
type DockerStatus struct {
	Here       bool            `json:"here"`                 // the engine answers
	Reason     string          `json:"reason,omitempty"`     // why it does not
	Since      string          `json:"since"`                // RFC 3339: since when the one or the other is so
	ID         string          `json:"id,omitempty"`         // what the engine calls itself, as last heard
	Version    string          `json:"version,omitempty"`    // of the engine, as last heard
	Containers *int            `json:"containers,omitempty"` // that run and have an interface; absent: unknown
	Networks   *int            `json:"networks,omitempty"`   // that are kept and are as they should be; absent: unknown, or none are kept
	Problems   []DockerProblem `json:"problems,omitempty"`   // networks that are not, as last seen
}

// DockerProblem says what is wrong with a network of a Docker engine, or why one is missing.
type DockerProblem struct {
	Network string `json:"network"` // its name in Docker
	Problem string `json:"problem"`
}

// Problem is what is wrong with the engine or its networks, in one line; "" when nothing is, or no engine is asked.
func (d *DockerStatus) Problem() string {
	switch {
	case d == nil:
		return ""
	case !d.Here:
		return "the Docker engine is away: " + d.Reason
	case len(d.Problems) > 1:
		return fmt.Sprintf("network %s of Docker and %d more: %s", d.Problems[0].Network, len(d.Problems)-1, d.Problems[0].Problem)
	case len(d.Problems) == 1:
		return fmt.Sprintf("network %s of Docker: %s", d.Problems[0].Network, d.Problems[0].Problem)
	}
	return ""
}

// String is the engine in a line: "29.0.1, 12 containers, 4 networks", with what is in trouble, or "away since TIME: why". What is not known is "?".
func (d *DockerStatus) String() string {
	if !d.Here {
		return "away since " + d.Since + ": " + d.Reason
	}
	parts := []string{cmp.Or(d.Version, "?"), counted(d.Containers, "container")}
	if d.Networks != nil { // nil is also of an engine whose networks are not kept
		parts = append(parts, counted(d.Networks, "network"))
	}
	if n := len(d.Problems); n > 0 {
		parts = append(parts, counted(&n, "network")+" in trouble")
	}
	return strings.Join(parts, ", ")
}

// counted is "1 container", "2 containers", or "? containers" of nil.
func counted(n *int, what string) string {
	switch {
	case n == nil:
		return "? " + what + "s"
	case *n == 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", *n, what)
}
