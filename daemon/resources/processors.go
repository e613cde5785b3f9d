// Package resources says how much of its machine a daemon takes: on how many processors it runs at a time, and how much memory it
// uses before it collects garbage. What the environment says in the Go runtime's own variables counts more.
package resources

// Processors is on how many of have processors a daemon runs that waits for other processes, a store or a switch: on half of
// them, because those and containers want theirs, and because the Go scheduler wakes a thread on another processor for nearly
// every step of what it does, which costs more than the step. told is the variable GOMAXPROCS; if it is set the answer is 0,
// which runtime.GOMAXPROCS takes for no change.
func Processors(have int, told string) int {
	if told != "" {
		return 0
	}
	return max(1, have/2)
}
