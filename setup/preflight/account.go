package preflight

import (
	"context"
	"fmt"
	"regexp"
)

// account: daemons make namespaces, interfaces and files of root's.
func account(_ context.Context, m Machine, _ *Subject) []Finding {
	if m.Root() {
		return nil
	}
	return one("this is not root", "run it with sudo")
}

// labels are names of hosts (RFC 1123, section 2.1), which certificates, logs and URLs take.
var labels = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)

// label: the name of the host in the cluster.
func label(_ context.Context, _ Machine, s *Subject) []Finding {
	switch {
	case !labels.MatchString(s.Label):
		return one(fmt.Sprintf("%q is no name of a host: letters, digits, dots and dashes are", s.Label), "name it with --label")
	case s.Label == "localhost":
		return one("the machine is called localhost, as every one calls itself", "name it with --label, or with hostnamectl set-hostname")
	}
	return nil
}
