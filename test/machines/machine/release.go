// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"strings"
)

// Release is a release of Debian, and the kernel series that it has.
type Release struct {
	Name   string // as the archive calls it
	Number int
	Kernel string // series, as linux-source-SERIES
	// Supported reports whether the archive still has a suite of security updates for it.
	Supported bool
}

// Releases are those that machines can have, the oldest first.
func Releases() []Release {
	return []Release{
		{Name: "bullseye", Number: 11, Kernel: "5.10"},
		{Name: "bookworm", Number: 12, Kernel: "6.1", Supported: true},
		{Name: "trixie", Number: 13, Kernel: "6.12", Supported: true},
	}
}

// FindRelease finds a release by its name or number.
func FindRelease(word string) (Release, error) {
	var names []string
	for _, r := range Releases() {
		if word == r.Name || word == fmt.Sprint(r.Number) {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Release{}, fmt.Errorf("release: got %q, want one of %s", word, strings.Join(names, ", "))
}

func (r Release) String() string { return fmt.Sprintf("Debian %d (%s)", r.Number, r.Name) }
