package preflight

import (
	"context"
	"fmt"
	"regexp"
)

// account checks that this is root: daemons create namespaces, interfaces and files of root.
func account(_ context.Context, m Machine, _ *Subject) []Finding {
	if m.Root() {
		return nil
	}
	return one("contiv does not run as root", "run it as root, for instance with sudo")
}

// labels are names of hosts (RFC 1123, section 2.1), which certificates, logs and URLs take.
var labels = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)

// label checks the name of the host in the cluster.
func label(_ context.Context, _ Machine, s *Subject) []Finding {
	switch {
	case !labels.MatchString(s.Label):
		return one(fmt.Sprintf("the host name: got %q, want one of letters, digits, dots and dashes", s.Label), "name it with --label")
	case s.Label == "localhost":
		return one("the machine's host name is localhost, which does not identify it", "name it with --label, or with hostnamectl set-hostname")
	}
	return nil
}
