// SPDX-License-Identifier: Apache-2.0

// Command pack makes the managed Docker plugin of built programs, without an engine: a directory with config.json and rootfs, the input of
// docker plugin create.
//
//	go run ./docker/pack -bin bin -o bin/docker-plugin
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/daemon/flags"
)

func main() {
	bin := flag.String("bin", "bin", "directory of the programs")
	out := flag.String("o", "bin/docker-plugin", "output directory, which is replaced if it exists")
	version := flag.String("version", build.Info().Version, "version of the programs")
	flag.Parse()
	if err := pack(*bin, *out, *version); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// entrypoint is the program that the engine starts.
const entrypoint = "startcontiv"

// daemons read the plugin's environment; programs are all that is in it.
func daemons() []string  { return []string{"netplugin", "netmaster"} }
func programs() []string { return append(daemons(), "netctl", entrypoint) }

// pack makes the plugin's directory of the programs in bin.
func pack(bin, out, version string) error {
	var variables []flags.Variable
	for _, name := range daemons() {
		read, err := ask(filepath.Join(bin, name))
		if err != nil {
			return err
		}
		variables = append(variables, read...)
	}
	config, err := newConfig(version, variables)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return err
	}
	made := out + ".new"
	if err := os.RemoveAll(made); err != nil {
		return err
	}
	if err := makeRootfs(filepath.Join(made, "rootfs"), bin); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(made, "config.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return os.Rename(made, out)
}

// ask makes a daemon list the variables that it reads.
func ask(program string) ([]flags.Variable, error) {
	var stderr strings.Builder
	cmd := exec.Command(program, "--variables")
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s --variables: %w: %s", program, err, strings.TrimSpace(stderr.String()))
	}
	var out []flags.Variable
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("%s --variables: %w", program, err)
	}
	if !slices.ContainsFunc(out, func(v flags.Variable) bool { return strings.HasSuffix(v.Name, "_MODE") }) {
		return nil, fmt.Errorf("%s --variables names no mode: is it a program of this build?", program)
	}
	return out, nil
}
