// SPDX-License-Identifier: Apache-2.0

package incarnation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/contiv/contiv/checksum"
)

// roster has the hosts of an incarnation's store, in a file beside that of the cluster's incarnation.
type roster struct {
	Of    string   `json:"of"`    // id of the incarnation
	Hosts []string `json:"hosts"` // labels, ordered
}

// maxRoster is the maximum size of a roster, in bytes: 10,000 labels of 63 characters are less.
const maxRoster = 1 << 20

// HostsFile returns the path at which a host records the hosts of the cluster's store.
func (f File) HostsFile() string { return string(f) + ".hosts" }

// MemberFile returns the path at which a host records the position of its member of the embedded store, or "" if it records
// nothing.
func (f File) MemberFile() string {
	if f == "" {
		return ""
	}
	return string(f) + ".member"
}

// RecordHosts records the hosts of an incarnation's store durably. It does not write what is already recorded.
func (f File) RecordHosts(of string, hosts []string) error {
	if f == "" {
		return nil
	}
	next := roster{Of: of, Hosts: slices.Sorted(slices.Values(hosts))}
	text, err := checksum.JSON(next)
	if err != nil {
		return err
	}
	if was, err := os.ReadFile(f.HostsFile()); err == nil && string(was) == string(text) {
		return nil
	}
	if err := write(f.HostsFile(), text); err != nil {
		return fmt.Errorf("record the hosts of the cluster in %s: %w", f.HostsFile(), err)
	}
	return nil
}

// Hosts returns the labels of the hosts that the store of the newest of some incarnations had when this host noted them last; nil where
// that is not known. A file that is damaged is an error.
func (f File) Hosts(of ...string) ([]string, error) {
	if f == "" {
		return nil, nil
	}
	text, err := os.ReadFile(f.HostsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var noted roster
	switch {
	case err == nil && len(text) > maxRoster:
		err = fmt.Errorf("got %d bytes, want at most %d", len(text), maxRoster)
	case err == nil:
		err = errors.Join(checksum.CheckJSON(text), json.Unmarshal(text, &noted))
	}
	if err != nil {
		return nil, fmt.Errorf("hosts of the cluster in %s: %w; netmaster rewrites it once the store is resolved", f.HostsFile(), err)
	}
	if !slices.Contains(of, noted.Of) {
		return nil, nil
	}
	return noted.Hosts, nil
}
