// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
)

// Files that identify machines: systemd's, which clones of a disk share, and the firmware's, which they do not.
const (
	machineID   = "/etc/machine-id"
	productUUID = "/sys/class/dmi/id/product_uuid"
)

// Machine returns the identity of this machine, derived from the operator's name for it, or else from its files. A machine without such
// files is identified only by its host's label. The identity is a hash: its sources stay on the machine.
func Machine(called, label string) string { return identity(called, label, machineID, productUUID) }

func identity(called, label string, files ...string) string {
	if called != "" {
		return hash("called", called)
	}
	var parts []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		word := strings.TrimSpace(string(text))
		if err != nil || word == "" || word == "uninitialized" {
			continue
		}
		parts = append(parts, name, word)
	}
	if len(parts) == 0 {
		return hash("label", label)
	}
	return hash(parts...)
}

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte("contiv machine\x00" + strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}
