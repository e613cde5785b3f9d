// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"fmt"
	"strings"
)

// DockerStatus is an agent's status of its host's Docker engine.
type DockerStatus struct {
	Here       bool            `json:"here"`                 // the engine answers
	Reason     string          `json:"reason,omitempty"`     // why it does not
	Since      string          `json:"since"`                // RFC 3339: time of the last change of Here
	ID         string          `json:"id,omitempty"`         // the engine's id, as last read
	Version    string          `json:"version,omitempty"`    // of the engine, as last read
	Containers *int            `json:"containers,omitempty"` // running ones with an interface; absent: unknown
	Networks   *int            `json:"networks,omitempty"`   // managed ones in sync; absent: unknown, or none are managed
	Problems   []DockerProblem `json:"problems,omitempty"`   // of other networks, as last read
}

// DockerProblem describes a problem of a network of a Docker engine, or why one is missing.
type DockerProblem struct {
	Network string `json:"network"` // its name in Docker
	Problem string `json:"problem"`
}

// Problem describes the problem of the engine or its networks in one line; "" if there is none, or no engine is used.
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

// String describes the engine in one line: "29.0.1, 12 containers, 4 networks", with problems, or "away since TIME: why". An unknown value
// is "?".
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

// counted returns "1 container", "2 containers", or "? containers" for nil.
func counted(n *int, what string) string {
	switch {
	case n == nil:
		return "? " + what + "s"
	case *n == 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", *n, what)
}
