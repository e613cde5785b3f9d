package term

import (
	"os"
	"os/user"
	"strconv"
)

// Actor is who runs this program, "user@host", as far as the system tells.
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
