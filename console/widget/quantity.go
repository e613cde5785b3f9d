// SPDX-License-Identifier: Apache-2.0

package widget

import "fmt"

// SI prints a number in at most five cells: 0, 0.3, 12, 1.2k, 88M.
func SI(v float64) string {
	if v < 0 {
		return "-" + SI(-v)
	}
	for _, unit := range []string{"", "k", "M", "G", "T"} {
		switch {
		case v < 9.95 && (unit != "" || v != float64(int64(v))):
			return fmt.Sprintf("%.1f%s", v, unit)
		case v < 999.5:
			return fmt.Sprintf("%.0f%s", v, unit)
		}
		v /= 1000
	}
	return fmt.Sprintf("%.0fP", v)
}
