// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// mappings is how many mappings a process of this host has to be allowed: the kernel of a machine maps each page of a program by itself,
// and a linker in a machine has more than the 65,530 that Linux allows (vm.max_map_count, Documentation/admin-guide/sysctl/vm.rst).
const mappings = 1 << 20

// allowMappings raises vm.max_map_count where it is less.
func allowMappings() error {
	const path = "/proc/sys/vm/max_map_count"
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n >= mappings {
		return err
	}
	if err := os.WriteFile(path, []byte(strconv.Itoa(mappings)), 0); err != nil {
		return fmt.Errorf("raise vm.max_map_count from %d to %d: %w", n, mappings, err)
	}
	return nil
}
