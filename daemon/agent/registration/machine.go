package registration

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
)

// Files that tell machines apart: systemd's, which clones of a disk share, and the firmware's, which they do not.
const (
	machineID   = "/etc/machine-id"
	productUUID = "/sys/class/dmi/id/product_uuid"
)

// Machine is the identity of this machine: of what the operator calls it, or else of what its files say. A machine without such
// files is known by its host's label alone. The identity is a hash: what it is made of stays on the machine.
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
