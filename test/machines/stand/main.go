// SPDX-License-Identifier: Apache-2.0

// Stand prepares and runs booted Debian machines by hand; docs/dev/machines.md shows it. It needs root.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/test/machines/machine"
)

const usage = `go run ./test/machines/stand COMMAND
  prepare [RELEASE...]            make the root file systems and kernels that are missing (default: of all releases)
  up [-release R] [-machines N] [-memory MIB] [-disks N]
                                  boot machines h1, h2, ... that stay
  ssh HOST [COMMAND...]           run a command on a machine, or a shell
  down                            remove the machines and everything of them
`

// hand is the stand of machines that stay.
const hand = "hand"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "stand:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return errors.New("want a command")
	}
	if os.Geteuid() != 0 {
		return errors.New("machines need root")
	}
	switch args[0] {
	case "prepare":
		return prepare(ctx, args[1:])
	case "up":
		return up(ctx, args[1:])
	case "ssh":
		return ssh(ctx, args[1:])
	case "down":
		return machine.Remove(ctx, hand)
	}
	fmt.Fprint(os.Stderr, usage)
	return fmt.Errorf("%q is no command", args[0])
}

// cache is the one of the checkout that this is run in.
func cache() (machine.Cache, error) {
	dir, err := filepath.Abs(".cache/machines")
	return machine.Cache{Dir: dir, Kernels: os.Getenv(machine.KernelsVariable), Log: os.Stdout}, err
}

func prepare(ctx context.Context, names []string) error {
	c, err := cache()
	if err != nil {
		return err
	}
	releases := machine.Releases()
	if len(names) > 0 {
		releases = nil
	}
	for _, name := range names {
		r, err := machine.FindRelease(name)
		if err != nil {
			return err
		}
		releases = append(releases, r)
	}
	for _, r := range releases {
		start := time.Now()
		p, err := c.Prepare(ctx, r)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s, %s (%s)\n", r, filepath.Base(p.Kernel), filepath.Base(p.Root), time.Since(start).Round(time.Millisecond))
	}
	return nil
}

func up(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	release := flags.String("release", "bookworm", "release of Debian, by name or number")
	count := flags.Int("machines", 2, "how many")
	memory := flags.Int("memory", 1500, "MiB of each")
	disks := flags.Int("disks", 0, "further disks of each")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r, err := machine.FindRelease(*release)
	if err != nil {
		return err
	}
	c, err := cache()
	if err != nil {
		return err
	}
	parts, err := c.Prepare(ctx, r)
	if err != nil {
		return err
	}
	if err := machine.Remove(ctx, hand); err != nil {
		return err
	}
	s, err := machine.New(ctx, hand)
	if err != nil {
		return err
	}
	err = cmp.Or(os.Symlink(parts.Key, filepath.Join(s.Dir, "key")), s.Keep())
	for range *count {
		if err != nil {
			break
		}
		err = boot(ctx, s, machine.Spec{Parts: parts, Memory: *memory, Disks: *disks})
	}
	if err != nil {
		return errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	}
	fmt.Println("go run ./test/machines/stand ssh h1   enters one; ... down   removes them")
	return nil
}

func boot(ctx context.Context, s *machine.Stand, spec machine.Spec) error {
	start := time.Now()
	m, err := s.Add(ctx, spec)
	if err != nil {
		return err
	}
	if err := m.Boot(ctx); err != nil {
		return err
	}
	fmt.Printf("%s: %s, %s (%s)\n", m.Name, spec.Parts.Release, m.Address(), time.Since(start).Round(100*time.Millisecond))
	return nil
}

func ssh(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("ssh: want the name of a machine: h1, h2 and so on")
	}
	cmd, err := machine.Enter(ctx, hand, args[0], strings.Join(args[1:], " "))
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
	return err
}
