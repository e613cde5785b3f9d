package preflight

import (
	"context"
	"fmt"
	"regexp"
)

// account checks for root: daemons create namespaces, interfaces and files that need it.
func account(_ context.Context, m Machine, _ *Subject) []Finding {
	if m.Root() {
		return nil
	}
	return one("this user is not root", "run it with sudo")
}

// labels matches names of hosts (RFC 1123, section 2.1), which certificates, logs and URLs can hold.
var labels = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)

// label checks the name of the host in the cluster.
func label(_ context.Context, _ Machine, s *Subject) []Finding {
	switch {
	case !labels.MatchString(s.Label):
		return one(fmt.Sprintf("got %q, want a host name of letters, digits, dots and dashes", s.Label), "name it with --label")
	case s.Label == "localhost":
		return one("the machine is called localhost, which every machine calls itself", "name it with --label, or with hostnamectl set-hostname")
	}
	return nil
}
