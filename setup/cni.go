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

// plugin is the CNI plugin's program.
const plugin = "contivk8s"

// PluginFile returns the path at which container runtimes expect the CNI plugin by default.
func (h *Host) PluginFile() string { return h.at("/opt/cni/bin/" + plugin) }

// ConfFile is a network configuration that no runtime reads by itself: which network a runtime's containers get is the operator's decision.
func (h *Host) ConfFile() string { return h.at("/etc/contiv/cni/" + cniconf.File) }

// RuntimeConfFile is the same configuration once an operator, or an agent with --cni-conf-dir, has put it where runtimes look.
func (h *Host) RuntimeConfFile() string { return h.at("/etc/cni/net.d/" + cniconf.File) }

// pluginMark returns the file with the digest of the plugin that this package has installed: a plugin with another digest belongs to
// someone else. Its further lines are the directories that this package created for the plugin, the deepest first.
func (h *Host) pluginMark() string { return h.at("/etc/contiv/host/" + plugin + ".sha256") }

// cni returns the step that installs the CNI plugin and writes a configuration to copy. The step keeps a plugin that it did not install,
// and returns the remedy; a host can do without the plugin. Its Undo removes only what it installed.
func (h *Host) cni() Step {
	return Step{
		Name: "CNI plugin",
		Do: func(context.Context) (string, error) {
			conf, err := cniconf.Conf(plugin)
			if err != nil {
				return "", err
			}
			said, err := h.installPlugin()
			if err != nil {
				return "", err
			}
			wrote, err := write(h.ConfFile(), conf, 0o644)
			return joined(said, when(wrote, "wrote "+h.ConfFile()+"; to use it, copy it to "+filepath.Dir(h.RuntimeConfFile()))), err
		},
		Undo: func(context.Context) (string, error) {
			removed, err := h.removePlugin()
			if err != nil {
				return "", err
			}
			conf, err := remove(h.ConfFile())
			_ = os.Remove(filepath.Dir(h.ConfFile())) // a directory with other files stays
			stays := ""
			if _, there := os.Lstat(h.RuntimeConfFile()); there == nil {
				stays = h.RuntimeConfFile() + " remains: remove it, or the container runtime calls a missing agent"
			}
			return joined(removed, when(conf, "removed "+h.ConfFile()), stays), err
		},
	}
}

// installPlugin copies the plugin that is beside the daemons.
func (h *Host) installPlugin() (said string, err error) {
	from, to := filepath.Join(h.Bin, plugin), h.PluginFile()
	program, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return from + " does not exist, so no CNI plugin was installed: if your container runtime uses CNI, copy the plugin to " + filepath.Dir(to), nil
	}
	if err != nil {
		return "", err
	}
	there, err := os.ReadFile(to)
	switch {
	case err == nil && bytes.Equal(there, program):
		return "", nil
	case err == nil && !h.installed(there):
		return to + " is another build, which contiv did not install and keeps: cp " + from + " " + to + " replaces it", nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	// The mark comes first: without it a plugin that was just written would count as someone else's.
	_, made := h.mark()
	mark := slices.Concat([]string{sum(program)}, h.missingDirs(to), made)
	if _, err := write(h.pluginMark(), []byte(strings.Join(mark, "\n")+"\n"), 0o600); err != nil {
		return "", err
	}
	_, err = write(to, program, 0o755)
	return "installed the CNI plugin " + to, err
}

// removePlugin removes the plugin, if it is the one that was installed.
func (h *Host) removePlugin() (said string, err error) {
	there, err := os.ReadFile(h.PluginFile())
	if err == nil && h.installed(there) {
		if _, err := remove(h.PluginFile()); err != nil {
			return "", err
		}
		said = "removed " + h.PluginFile()
	}
	_, made := h.mark()
	for _, dir := range made {
		_ = os.Remove(h.at(dir)) // a directory with other files stays
	}
	_, err = remove(h.pluginMark())
	return said, err
}

// installed reports whether a program is the plugin that was installed.
func (h *Host) installed(program []byte) bool {
	digest, _ := h.mark()
	return digest == sum(program)
}

// mark reads pluginMark: the digest of the plugin, and the directories that were created for it. Both are empty if no plugin was installed.
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

// missingDirs returns the missing directories above a file, the deepest first, as paths on the host.
func (h *Host) missingDirs(file string) (missing []string) {
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, strings.TrimPrefix(dir, filepath.Clean(h.Root)))
	}
	return missing
}

// sum is the SHA-256 of a text, in hexadecimal digits.
func sum(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])
}

// joined returns the texts that are not empty, one a line.
func joined(texts ...string) string {
	var said []string
	for _, t := range texts {
		if t != "" {
			said = append(said, t)
		}
	}
	return strings.Join(said, "\n")
}
