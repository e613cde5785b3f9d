package machine

import "path/filepath"

// Console is the end of what the machine has printed on its console, of all boots.
func (m *Machine) Console(lines int) string { return tail(m.consolePath(), lines) }

func (m *Machine) consolePath() string {
	return filepath.Join(m.stand.Dir, m.Name+".console")
}
