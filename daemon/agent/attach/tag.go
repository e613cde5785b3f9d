package attach

import "strings"

// tag is what the host end of a container's interface bears as its alias (ip-link(8)): what the store does not know of the
// attachment, so that its port can be made again when someone has removed that.
type tag struct{ netns, owner string }

const (
	tagStart = "contiv netns="
	tagOwner = " owner="
	maxAlias = 255 // bytes that Linux stores (IFALIASZ of linux/if.h)
)

// String is the alias; "" when it is too long for one.
func (t tag) String() string {
	s := tagStart + t.netns + tagOwner + t.owner
	if len(s) > maxAlias {
		return ""
	}
	return s
}

// readTag reads an alias; ok is false when it is no tag of ours.
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
