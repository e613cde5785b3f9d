// SPDX-License-Identifier: Apache-2.0

package flags

import "strings"

// list is a flag's comma list.
type list struct{ to *[]string }

// Set splits the value.
func (l *list) Set(text string) error {
	*l.to = nil
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			*l.to = append(*l.to, part)
		}
	}
	return nil
}

// String joins the list.
func (l *list) String() string {
	if l.to == nil {
		return ""
	}
	return strings.Join(*l.to, ",")
}

// Type names the kind of value in help.
func (l *list) Type() string { return "list" }
