// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"strings"

	"github.com/contiv/contiv/identity"
)

// Shell is the command that opens a shell in a container, as words: kubectl for a pod, "namespace/name", and else docker on the container's
// host, by ssh unless here is that host. It is nil if names have other characters than the runtimes permit: they are text from outside.
func Shell(pod, container, host, here string) []string {
	if pod != "" {
		id, ok := identity.ParsePodPath(pod)
		if !ok || !safe(id.Namespace, "-.") || !safe(id.Name, "-.") {
			return nil
		}
		return []string{"kubectl", "exec", "-it", "-n", id.Namespace, id.Name, "--", "sh"}
	}
	if !safe(container, "-._") || !safe(host, "-._") {
		return nil
	}
	line := []string{"docker", "exec", "-it", container, "sh"}
	if host == here {
		return line
	}
	return append([]string{"ssh", "-t", host}, line...)
}

// safe reports whether a name begins with a letter or digit and has only those and some others: it is one word to any shell, and no flag.
func safe(name, others string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return name != "" && strings.ContainsAny(name[:1], plain) && strings.Trim(name, plain+others) == ""
}
