// SPDX-License-Identifier: Apache-2.0

package attach

import "strings"

// tag is the alias of the host end of a container's interface (ip-link(8)): it has what the store does not know of the attachment, so that
// a removed port can be recreated.
type tag struct{ netns, owner string }

const (
	tagStart = "contiv netns="
	tagOwner = " owner="
	maxAlias = 255 // bytes that Linux stores (IFALIASZ of linux/if.h)
)

// String returns the alias; "" if it is too long.
func (t tag) String() string {
	s := tagStart + t.netns + tagOwner + t.owner
	if len(s) > maxAlias {
		return ""
	}
	return s
}

// readTag parses an alias; ok is false if it is not one of ours.
func readTag(alias string) (t tag, ok bool) {
	rest, ok := strings.CutPrefix(alias, tagStart)
	if !ok {
		return tag{}, false
	}
	at := strings.LastIndex(rest, tagOwner)
	if at < 0 {
		return tag{}, false
	}
	t = tag{rest[:at], rest[at+len(tagOwner):]}
	return t, t != tag{}
}
