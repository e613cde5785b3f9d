// SPDX-License-Identifier: Apache-2.0

package term

import (
	"os"
	"os/user"
	"strconv"
)

// Actor returns the user of this program, "user@host", as far as the system knows.
func Actor() string {
	name := "uid " + strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}
