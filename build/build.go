// SPDX-License-Identifier: Apache-2.0

// Package build knows what this program was built from.
package build

import (
	"fmt"
	"io"

	"github.com/contiv/contiv/api/model"
)

// Set by the linker (see the Makefile).
var (
	version = "devel"
	commit  = "unknown"
	date    = "unknown"
)

// Info is the version of this program.
func Info() model.Version {
	return model.Version{GitCommit: commit, Version: version, BuildTime: date}
}

// Print writes the version as the original's programs did.
func Print(w io.Writer, v model.Version) {
	fmt.Fprintf(w, "Version: %s\nGitCommit: %s\nBuildTime: %s\n", v.Version, v.GitCommit, v.BuildTime)
}
