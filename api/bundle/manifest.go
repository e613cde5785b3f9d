// SPDX-License-Identifier: Apache-2.0

// Package bundle is the file format of a support bundle: a gzip-compressed tar of the state of a cluster at one time. A netmaster writes
// it, netctl and the console read it away from the cluster. The package only computes.
package bundle

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Format is the version of the written format, and the newest readable one.
const Format = 1

// root is the directory that a bundle unpacks to.
const root = "contiv-bundle/"

// ManifestName is the file that describes a bundle. It is written last, so a bundle without one is incomplete.
const ManifestName = "manifest.json"

// Manifest describes what is in a bundle, and what is missing.
type Manifest struct {
	Format   int           `json:"format"`
	Made     time.Time     `json:"made"`              // when the collection started
	Duration string        `json:"took"`              // of the collection
	By       string        `json:"by"`                // the authenticated requester
	From     string        `json:"from"`              // address of the netmaster that wrote it
	Version  model.Version `json:"version"`           // of that netmaster
	Mode     string        `json:"mode"`              // its --mode: the orchestrator
	Revision uint64        `json:"revision"`          // of the store, up to which everything is included
	Versions []Node        `json:"versions"`          // of the cluster's daemons
	Hosts    []Host        `json:"hosts"`             // that are registered
	Missing  []Missing     `json:"missing,omitempty"` // requests without an answer
	TakenOut []string      `json:"takenOut"`          // descriptions of what a bundle never contains
	Files    []File        `json:"files"`             // all except the manifest
}

// Node is a daemon with its version.
type Node struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Version string `json:"version"` // "": unknown
}

// Host is a host with the address "host:port" of its agent, or "" if it has none.
type Host struct {
	Name    string `json:"name"`
	Address string `json:"address,omitempty"`
}

// Missing is something that the bundle lacks because there was no answer.
type Missing struct {
	Of   string `json:"of"`             // "host h1", "netmaster 192.0.2.1:9999", "cluster"
	What string `json:"what,omitempty"` // the file's name without its directory; "": no answer at all
	Why  string `json:"why"`
}

// String describes it in one line.
func (m *Missing) String() string {
	if m.What == "" {
		return m.Of + ": " + m.Why
	}
	return m.Of + ", " + m.What + ": " + m.Why
}

// File is a file of a bundle.
type File struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	From  string `json:"from"` // the request that it answers, or its source
}

// OfHost returns the name of a file about a host.
func OfHost(host, file string) string { return "hosts/" + url.PathEscape(host) + "/" + file }

// OfMaster returns the name of a file about the netmaster at an address "host:port".
func OfMaster(address, file string) string {
	return "netmasters/" + url.PathEscape(address) + "/" + file
}

// Intent returns the name of the file with all objects of a kind.
func Intent(k *model.Kind) string { return "intent/" + k.Name + ".json" }

// Records is the directory of the store's content: files of lines of JSON, a Record each.
const Records = "records/"

// Record is an item of the store. Its value is JSON, or Bytes for any other value.
type Record struct {
	Key      string          `json:"key"`
	Revision uint64          `json:"revision"`
	Created  uint64          `json:"created"`
	Value    json.RawMessage `json:"value,omitempty"`
	Bytes    []byte          `json:"bytes,omitempty"`
}

// Served is the answer of a netmaster that serves a bundle (netmaster --bundle).
type Served struct {
	Socket   string   `json:"socket"`   // path of its unix socket
	Manifest Manifest `json:"manifest"` // without the files
}

// String describes the bundle for its readers: its time, and what is unknown.
func (m *Manifest) String() string {
	text := "bundle of " + m.Made.UTC().Format(time.RFC3339) + ", read only"
	silent := map[string]struct{}{}
	var names []string
	for i := range m.Missing {
		of := m.Missing[i].Of
		if _, again := silent[of]; !again && m.Missing[i].What == "" {
			silent[of] = struct{}{}
			names = append(names, of)
		}
	}
	if len(names) > 3 {
		names = append(names[:3], "and others")
	}
	if len(names) > 0 {
		text += "; did not answer then: " + strings.Join(names, ", ")
	}
	return text
}
