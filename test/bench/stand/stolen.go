package stand

import (
	"fmt"
	"os"
	"strings"
)

// Stolen begins to count what the host of a virtual machine takes of its processors' time (column steal of /proc/stat, proc(5)),
// and returns what says how much that was since, as "1.9 %" of all the time that there was. A machine of its own loses nothing.
func Stolen() (since func() string, err error) {
	was, whole, err := steal()
	if err != nil {
		return nil, err
	}
	return func() string {
		is, now, err := steal()
		if err != nil || now == whole {
			return "?"
		}
		return fmt.Sprintf("%.1f %%", float64(is-was)/float64(now-whole)*100)
	}, nil
}

// steal is what was stolen since the machine's start, and all that passed, in ticks of all processors together.
func steal() (stolen, whole uint64, err error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, err
	}
	return Steal(string(text))
}

// Steal reads the first line of /proc/stat. The times of guests are part of others', and not counted again.
func Steal(text string) (stolen, whole uint64, err error) {
	line, _, _ := strings.Cut(text, "\n")
	var t [8]uint64 // user, nice, system, idle, iowait, irq, softirq, steal
	if _, err := fmt.Sscanf(line, "cpu %d %d %d %d %d %d %d %d", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]); err != nil {
		return 0, 0, fmt.Errorf("/proc/stat %q: %w", line, err)
	}
	for _, n := range t {
		whole += n
	}
	return t[7], whole, nil
}
