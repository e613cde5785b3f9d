// Package bundle is the file format of a support bundle: a tar, compressed by gzip, of what a cluster said of itself at one time. A netmaster
// writes it, netctl and the console read it where the cluster is not. The package computes only.
package bundle

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Format is the version of the format that is written, and the newest that is read.
const Format = 1

// root is the folder that a bundle unpacks to.
const root = "contiv-bundle/"

// ManifestName is the file that says what a bundle is. It is written last, so a bundle without one is not whole.
const ManifestName = "manifest.json"

// Manifest says what is in a bundle, and what is not.
type Manifest struct {
	Format   int           `json:"format"`
	Made     time.Time     `json:"made"`              // when the cluster began to be asked
	Duration string        `json:"took"`              // how long that was
	By       string        `json:"by"`                // who asked for it, as that was proved
	From     string        `json:"from"`              // address of the netmaster that wrote it
	Version  model.Version `json:"version"`           // of that netmaster
	Mode     string        `json:"mode"`              // its --mode: the orchestrator
	Revision uint64        `json:"revision"`          // of the store, up to which everything is known
	Versions []Node        `json:"versions"`          // of the cluster's daemons
	Hosts    []Host        `json:"hosts"`             // that are registered
	Missing  []Missing     `json:"missing,omitempty"` // what was asked for in vain
	TakenOut []string      `json:"takenOut"`          // what a bundle never holds, for people
	Files    []File        `json:"files"`             // all but the manifest
}

// Node is a daemon with its version.
type Node struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Version string `json:"version"` // "": unknown
}

// Host is a host with the address "host:port" of its agent; "": it has none.
type Host struct {
	Name    string `json:"name"`
	Address string `json:"address,omitempty"`
}

// Missing is something that a bundle would hold had it been told.
type Missing struct {
	Of   string `json:"of"`             // "host h1", "netmaster 192.0.2.1:9999", "cluster"
	What string `json:"what,omitempty"` // the file's name without its folder; "": nothing at all was told
	Why  string `json:"why"`
}

// String is the line of it for people.
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
	From  string `json:"from"` // the request that it answers, or what it was made of
}

// OfHost is the name of a file about a host.
func OfHost(host, file string) string { return "hosts/" + url.PathEscape(host) + "/" + file }

// OfMaster is the name of a file about the netmaster at an address "host:port".
func OfMaster(address, file string) string {
	return "netmasters/" + url.PathEscape(address) + "/" + file
}

// Intent is the name of the file with all objects of a kind.
func Intent(k *model.Kind) string { return "intent/" + k.Name + ".json" }

// Records is the folder of what the store holds: files of lines of JSON, a Record each.
const Records = "records/"

// Record is an item of the store. Its value is JSON, or Bytes where it is something else.
type Record struct {
	Key      string          `json:"key"`
	Revision uint64          `json:"revision"`
	Created  uint64          `json:"created"`
	Value    json.RawMessage `json:"value,omitempty"`
	Bytes    []byte          `json:"bytes,omitempty"`
}

// Served is what a netmaster says that answers from a bundle (netmaster --bundle).
type Served struct {
	Socket   string   `json:"socket"`   // path of the unix socket at which it does
	Manifest Manifest `json:"manifest"` // without the files
}

// String is the line that goes with everything that is read of a bundle: when that was, and what is not known of it.
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
