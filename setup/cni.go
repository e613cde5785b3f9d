// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/agent/cniconf"
)

// plugin is the name of the CNI plugin's program.
const plugin = "contivk8s"

// PluginFile returns the default path at which container runtimes look for the CNI plugin.
func (h *Host) PluginFile() string { return h.at("/opt/cni/bin/" + plugin) }

// ConfFile returns the path of a network configuration that no runtime reads: the operator decides which network a runtime's
// containers get.
func (h *Host) ConfFile() string { return h.at("/etc/contiv/cni/" + cniconf.File) }

// RuntimeConfFile returns the path at which runtimes read the configuration, once an operator, or an agent with --cni-conf-dir, has
// put it there.
func (h *Host) RuntimeConfFile() string { return h.at("/etc/cni/net.d/" + cniconf.File) }

// pluginMark returns the path of a file with the digest of the installed plugin, to recognize a plugin that someone else has
// installed. Its other lines are the directories that the installation has created, deepest first.
func (h *Host) pluginMark() string { return h.at("/etc/contiv/host/" + plugin + ".sha256") }

// cni installs the CNI plugin and writes a configuration to copy. It keeps a plugin that it did not install, and reports what to
// do; a missing plugin is not an error. Its Undo removes only what it has installed.
func (h *Host) cni() Step {
	return Step{
		Name: "CNI plugin",
		Do: func(context.Context) (string, error) {
			conf, err := cniconf.Conf(plugin)
			if err != nil {
				return "", err
			}
			result, err := h.installPlugin()
			if err != nil {
				return "", err
			}
			wrote, err := write(h.ConfFile(), conf, 0o644)
			return joined(result, when(wrote, "wrote "+h.ConfFile()+": a container runtime uses it once it is in "+filepath.Dir(h.RuntimeConfFile()))), err
		},
		Undo: func(context.Context) (string, error) {
			removed, err := h.removePlugin()
			if err != nil {
				return "", err
			}
			conf, err := remove(h.ConfFile())
			_ = os.Remove(filepath.Dir(h.ConfFile())) // fails if the directory is not empty
			stays := ""
			if _, there := os.Lstat(h.RuntimeConfFile()); there == nil {
				stays = h.RuntimeConfFile() + " stays: remove it, or the container runtime calls an agent that does not run"
			}
			return joined(removed, when(conf, "removed "+h.ConfFile()), stays), err
		},
	}
}

// packagedPlugin returns the path of the plugin of a package, which has a link at PluginFile too.
func (h *Host) packagedPlugin() string { return h.at("/usr/lib/cni/" + plugin) }

// installPlugin copies the plugin from the directory of the daemons, unless a package has installed it.
func (h *Host) installPlugin() (result string, err error) {
	from, to := filepath.Join(h.Bin, plugin), h.PluginFile()
	if _, err := os.Stat(h.packagedPlugin()); err == nil {
		from = h.packagedPlugin()
	}
	program, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return from + " is missing, so no CNI plugin was installed: copy it to " + filepath.Dir(to) + " where containers are connected by CNI", nil
	}
	if err != nil {
		return "", err
	}
	there, err := os.ReadFile(to)
	switch {
	case err == nil && bytes.Equal(there, program):
		return "", nil
	case err == nil && !h.installed(there):
		return to + " is another build, which contiv did not install; to replace it: cp " + from + " " + to, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	// Write the mark first: without it, a newly written plugin would look like someone else's.
	_, made := h.mark()
	mark := slices.Concat([]string{sum(program)}, h.missingDirs(to), made)
	if _, err := write(h.pluginMark(), []byte(strings.Join(mark, "\n")+"\n"), 0o600); err != nil {
		return "", err
	}
	_, err = write(to, program, 0o755)
	return "installed the CNI plugin " + to, err
}

// removePlugin removes the plugin if contiv has installed it.
func (h *Host) removePlugin() (result string, err error) {
	there, err := os.ReadFile(h.PluginFile())
	info, linked := os.Lstat(h.PluginFile())
	if packaged := linked == nil && info.Mode()&fs.ModeSymlink != 0; err == nil && !packaged && h.installed(there) {
		if _, err := remove(h.PluginFile()); err != nil {
			return "", err
		}
		result = "removed " + h.PluginFile()
	}
	_, made := h.mark()
	for _, dir := range made {
		_ = os.Remove(h.at(dir)) // fails if the directory is not empty
	}
	_, err = remove(h.pluginMark())
	return result, err
}

// installed reports whether a program is the installed plugin.
func (h *Host) installed(program []byte) bool {
	digest, _ := h.mark()
	return digest == sum(program)
}

// mark reads pluginMark: the digest of the plugin, and the directories created for it. Both are empty if no plugin was installed.
func (h *Host) mark() (digest string, made []string) {
	text, err := os.ReadFile(h.pluginMark())
	if err != nil {
		return "", nil
	}
	lines := strings.Fields(string(text))
	if len(lines) == 0 {
		return "", nil
	}
	return lines[0], lines[1:]
}

// missingDirs returns the missing directories above a file, deepest first, relative to the host's root.
func (h *Host) missingDirs(file string) (missing []string) {
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, strings.TrimPrefix(dir, filepath.Clean(h.Root)))
	}
	return missing
}

// sum returns the SHA-256 of a text, in hexadecimal.
func sum(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])
}

// joined joins the texts that are not empty, one per line.
func joined(texts ...string) string {
	var result []string
	for _, t := range texts {
		if t != "" {
			result = append(result, t)
		}
	}
	return strings.Join(result, "\n")
}
