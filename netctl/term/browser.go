// SPDX-License-Identifier: Apache-2.0

package term

import (
	"os/exec"
	"runtime"
)

// Browser returns a function that opens a URL in the user's browser; nil if there is no display, or the user came over SSH.
func Browser(getenv func(string) string) func(url string) error {
	program := "xdg-open"
	switch {
	case getenv("SSH_CONNECTION") != "":
		return nil
	case runtime.GOOS == "darwin":
		program = "open"
	case getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "":
		return nil
	}
	return func(url string) error {
		path, err := exec.LookPath(program)
		if err != nil {
			return err
		}
		return exec.Command(path, url).Run()
	}
}
