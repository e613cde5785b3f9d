// SPDX-License-Identifier: Apache-2.0

// Package resources limits the resources of a daemon: the number of processors that it uses at a time, and the memory that it uses before
// it collects garbage. The Go runtime's environment variables take precedence.
package resources

// Processors is on how many of have processors a daemon runs that waits for other processes, a store or a switch: on half of them,
// because those and containers want theirs, and because the Go scheduler wakes a thread on another processor for nearly every step of
// what it does, which costs more than the step. set is the variable GOMAXPROCS; if it is set the answer is 0, which runtime.GOMAXPROCS
// takes for no change.
func Processors(have int, set string) int {
	if set != "" {
		return 0
	}
	return max(1, have/2)
}
