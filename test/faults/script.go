// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/contiv/contiv/lab"
)

// prelude defines the commands of scripts.
//
//go:embed prelude.sh
var prelude string

// scriptLimit bounds a script.
const scriptLimit = 3 * time.Minute

// shell runs scripts against a lab.
type shell struct {
	lab   *lab.Lab
	state string // directory of what scripts keep running
}

// run runs a script with bash, which would read its start-up files where ssh runs it. Its commands are those of the prelude, which act on the lab, and netctl.
func (s *shell) run(ctx context.Context, at place, script string) error {
	if strings.TrimSpace(script) == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, scriptLimit)
	defer cancel()
	env, err := s.environ(at)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "bash", "--norc", "-euo", "pipefail", "-c", prelude+"\n"+script)
	cmd.Env, cmd.WaitDelay = env, 5*time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out.Bytes()))
	}
	return nil
}

func (s *shell) environ(at place) ([]string, error) {
	env, err := s.lab.Environ()
	if err != nil { // no netmaster runs, and the script may start one
		env = os.Environ()
	}
	env = append(env, "LAB="+s.lab.Name, "LABS="+strings.TrimSuffix(s.lab.Dir, "/"+s.lab.Name), "LAB_DIR="+s.lab.Dir, "SUBNET="+at.subnet(), "BIN="+s.lab.Bin, "STATE="+s.state, "PATH="+s.lab.Bin+":"+os.Getenv("PATH"))
	for name, value := range at.vars() {
		env = append(env, name+"="+value)
	}
	return env, nil
}
