// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// account checks for root: daemons create namespaces, interfaces and files that need it.
func account(_ context.Context, m Machine, _ *Subject) (string, []Result) {
	if m.Root() {
		return "root", nil
	}
	return "", one("this user is not root", "run it with sudo")
}

// labels matches names of hosts (RFC 1123, section 2.1), which certificates, logs and URLs can hold.
var labels = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)

// label checks the name of the host in the cluster.
func label(_ context.Context, _ Machine, s *Subject) (string, []Result) {
	switch {
	case !labels.MatchString(s.Label):
		return "", one(fmt.Sprintf("got %q, want a host name of letters, digits, dots and dashes", s.Label), "name it with --label")
	case s.Label == "localhost":
		return "", one("the machine is called localhost, which every machine calls itself", "name it with --label, or with hostnamectl set-hostname")
	}
	return s.Label, nil
}

// machineIDs matches the content of /etc/machine-id (machine-id(5)).
var machineIDs = regexp.MustCompile(`^[0-9a-f]{32}$`)

// machineID checks the machine's identity, by which netmasters distinguish machines.
func machineID(_ context.Context, m Machine, s *Subject) (string, []Result) {
	if s.Switch == "" {
		return "", nil
	}
	const again = "rm -f /etc/machine-id /var/lib/dbus/machine-id; systemd-machine-id-setup"
	text, err := m.ReadFile("/etc/machine-id")
	id := strings.TrimSpace(string(text))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", minor("/etc/machine-id does not exist", again)
	case err != nil:
		return "", unknown(err.Error(), "")
	case !machineIDs.MatchString(id):
		return "", minor(fmt.Sprintf("/etc/machine-id: got %.40q, want 32 hexadecimal digits", id), again)
	}
	distinct := map[rune]int{}
	for _, c := range id {
		distinct[c]++
	}
	if len(distinct) < 5 { // of 32 random digits: less than once in 10^14
		return "", minor("/etc/machine-id is "+id+", which is not random: other machines may have the same", again)
	}
	return id, nil
}
