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

// PluginFile is where container runtimes look for the CNI plugin, unless they are configured otherwise.
func (h *Host) PluginFile() string { return h.at("/opt/cni/bin/" + plugin) }

// ConfFile is a network configuration that no runtime reads by itself: which network a runtime's containers get is the operator's decision.
func (h *Host) ConfFile() string { return h.at("/etc/contiv/cni/" + cniconf.File) }

// RuntimeConfFile is the same configuration once an operator, or an agent with --cni-conf-dir, has put it where runtimes look.
func (h *Host) RuntimeConfFile() string { return h.at("/etc/cni/net.d/" + cniconf.File) }

// pluginMark has the digest of the plugin that this package has installed: another one at its place is someone else's. The lines below are the
// folders that this package made for it, the deepest first.
func (h *Host) pluginMark() string { return h.at("/etc/contiv/host/" + plugin + ".sha256") }

// cni installs the CNI plugin and writes a configuration to copy. It leaves what it did not install, and says what to do; a host without the
// plugin is a host all the same. Undone, only what it did install goes.
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
			return joined(said, when(wrote, "wrote "+h.ConfFile()+": a container runtime uses it once it is in "+filepath.Dir(h.RuntimeConfFile()))), err
		},
		Undo: func(context.Context) (string, error) {
			removed, err := h.removePlugin()
			if err != nil {
				return "", err
			}
			conf, err := remove(h.ConfFile())
			_ = os.Remove(filepath.Dir(h.ConfFile())) // a folder with something else in it stays
			stays := ""
			if _, there := os.Lstat(h.RuntimeConfFile()); there == nil {
				stays = h.RuntimeConfFile() + " stays: remove it, or the container runtime asks an agent that is not there"
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
		return from + " is not there, so no CNI plugin was installed: copy it to " + filepath.Dir(to) + " where containers are connected by CNI", nil
	}
	if err != nil {
		return "", err
	}
	there, err := os.ReadFile(to)
	switch {
	case err == nil && bytes.Equal(there, program):
		return "", nil
	case err == nil && !h.installed(there):
		return to + " is another build, which contiv did not install, and stays: cp " + from + " " + to + " replaces it", nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	// The mark comes first: without it a plugin that was just written would count as someone else's.
	_, made := h.mark()
	mark := slices.Concat([]string{sum(program)}, h.missingFolders(to), made)
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
		_ = os.Remove(h.at(dir)) // a folder with something else in it stays
	}
	_, err = remove(h.pluginMark())
	return said, err
}

// installed reports whether a program is the plugin that was installed.
func (h *Host) installed(program []byte) bool {
	digest, _ := h.mark()
	return digest == sum(program)
}

// mark reads pluginMark: the digest of the plugin, and the folders that were made for it. Both are empty when no plugin was installed.
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

// missingFolders are the folders above a file that are not there, the deepest first, as the host sees them.
func (h *Host) missingFolders(file string) (missing []string) {
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

// joined are the texts that say something, one a line.
func joined(texts ...string) string {
	var said []string
	for _, t := range texts {
		if t != "" {
			said = append(said, t)
		}
	}
	return strings.Join(said, "\n")
}
