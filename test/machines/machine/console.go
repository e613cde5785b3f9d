// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"bytes"
	"os"
	"path/filepath"
)

// Console is the end of what the machine has printed on its console, of all boots.
func (m *Machine) Console(lines int) string { return tail(m.consolePath(), lines) }

func (m *Machine) consolePath() string {
	return filepath.Join(m.stand.Dir, m.Name+".console")
}

// stuck reports whether the kernel of the last boot runs and has started no systemd.
func (m *Machine) stuck() bool {
	text, err := os.ReadFile(m.consolePath())
	return err == nil && m.On() && int64(len(text)) >= m.began && !bytes.Contains(text[m.began:], []byte("systemd[1]:"))
}
