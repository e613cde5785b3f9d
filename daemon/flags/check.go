// SPDX-License-Identifier: Apache-2.0

package flags

import "fmt"

// OnlyCheck reports whether the configuration is only to be checked.
func (s *Set) OnlyCheck() bool { return s.check }

// PrintValid prints that the configuration is valid, and what of it is ignored.
func (s *Set) PrintValid() {
	for _, w := range s.warnings {
		_, _ = fmt.Fprintln(s.out, "warning:", w)
	}
	_, _ = fmt.Fprintln(s.out, "the configuration is valid")
}

// Warnings are about settings that the program ignores.
func (s *Set) Warnings() []string { return s.warnings }
