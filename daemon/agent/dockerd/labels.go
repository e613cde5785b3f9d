// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"maps"
	"slices"
)

// maxLabels bounds the reported labels of a container, in bytes of their names and values: every agent keeps them.
const maxLabels = 2048

// concise returns the reported labels of a container: those by which services select, and others, in order of their names, up to the
// maximum.
func concise(labels map[string]string, selectors []map[string]string) map[string]string {
	var first, rest []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		selects := func(s map[string]string) bool { value, has := s[name]; return has && value == labels[name] }
		if slices.ContainsFunc(selectors, selects) {
			first = append(first, name)
		} else {
			rest = append(rest, name)
		}
	}
	var out map[string]string
	left := maxLabels
	for _, name := range append(first, rest...) {
		if size := len(name) + len(labels[name]); size <= left {
			if out == nil {
				out = map[string]string{}
			}
			out[name], left = labels[name], left-size
		}
	}
	return out
}
