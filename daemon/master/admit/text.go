// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"fmt"
	"strings"
)

// some lists the first few names.
func some(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
