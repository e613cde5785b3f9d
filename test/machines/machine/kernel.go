// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// kernelConfig are the options of the kernels.
//
//go:embed kernel.config
var kernelConfig string

// kernelPath is where the kernel of a release is: a ready one under its own name, else the one that is made of Debian's sources.
func (c Cache) kernelPath(r Release) string {
	if ready := c.ready(r); ready != "" {
		if strings.HasSuffix(ready, ".xz") {
			return filepath.Join(c.Dir, "ready-"+r.Kernel+"-"+stamp(ready))
		}
		return ready
	}
	return filepath.Join(c.Dir, "linux-"+r.Kernel+"-"+digest(r.Name, kernelConfig))
}

// ready is the kernel of a release in the directory of ready ones, packed or not; empty: there is none.
func (c Cache) ready(r Release) string {
	if c.Kernels == "" {
		return ""
	}
	for _, suffix := range []string{"", ".xz"} {
		path := filepath.Join(c.Kernels, "linux-"+r.Kernel+"-uml"+suffix)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// stamp distinguishes versions of a file.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return digest(path, fmt.Sprint(info.Size(), info.ModTime().UnixNano()))
}

// makeKernel unpacks a ready kernel, or builds one from the release's package of sources.
func (c Cache) makeKernel(ctx context.Context, r Release, path string) error {
	if ready := c.ready(r); ready != "" {
		return c.unpack(ctx, ready, path)
	}
	m, err := FindMirror()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(c.Dir, "build-"+r.Kernel+"-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	name := "linux-source-" + r.Kernel
	if err := c.download(ctx, m, r, dir, name); err != nil {
		return err
	}
	source := filepath.Join(dir, name)
	build := []string{"ARCH=um", fmt.Sprintf("-j%d", runtime.NumCPU())}
	for _, step := range [][]string{
		{"sh", "-c", "dpkg-deb -x " + name + "_*.deb package"},
		{"tar", "-xf", "package/usr/src/" + name + ".tar.xz"},
		append([]string{"make", "-C", source, "defconfig"}, build...),
		append([]string{"scripts/config"}, configArgs()...),
		append([]string{"make", "-C", source, "olddefconfig"}, build...),
		append([]string{"nice", "-n", "15", "make", "-C", source, "linux"}, build...),
		{"strip", "-o", path + ".new", filepath.Join(source, "linux")},
	} {
		at := dir
		if step[0] == "scripts/config" {
			at, step[0] = source, filepath.Join(source, step[0])
		}
		if err := c.run(ctx, at, step[0], step[1:]...); err != nil {
			return err
		}
	}
	return os.Rename(path+".new", path)
}

// configArgs are the options, as the kernel's scripts/config takes them.
func configArgs() (out []string) {
	for line := range strings.Lines(kernelConfig) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, option := range strings.Fields(line) {
			if off, ok := strings.CutPrefix(option, "-"); ok {
				out = append(out, "-d", off)
			} else {
				out = append(out, "-e", option)
			}
		}
	}
	return out
}

// download fetches a package of a release into a directory, with lists of its own: those of this machine stay as they are.
func (c Cache) download(ctx context.Context, m Mirror, r Release, dir, name string) error {
	for _, d := range []string{"lists/partial", "archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	list := filepath.Join(dir, "sources.list")
	if err := os.WriteFile(list, []byte(m.lists(r)), 0o644); err != nil {
		return err
	}
	options := []string{"-q", "-o", "Dir::Etc::sourcelist=" + list, "-o", "Dir::Etc::sourceparts=-", "-o", "Dir::State::lists=" + filepath.Join(dir, "lists"),
		"-o", "Dir::Cache=" + dir, "-o", "APT::Sandbox::User=root",
		"-o", "Dir::State::status=/dev/null"} // what this machine has installed, of another release, is no candidate
	if err := c.run(ctx, dir, "apt-get", append(options, "update")...); err != nil {
		return err
	}
	return c.run(ctx, dir, "apt-get", append(options, "download", name)...)
}

// unpack unpacks a file that xz packed.
func (c Cache) unpack(ctx context.Context, from, to string) error {
	out, err := os.OpenFile(to+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	cmd := exec.CommandContext(ctx, "xz", "-dc", from)
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("unpack %s with xz: %w", from, err)
	}
	return os.Rename(out.Name(), to)
}
