// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Mirror is where the packages of Debian's releases come from: where this machine has its own from.
type Mirror struct {
	Main     string // URI of the archive
	Security string // URI of its security updates; empty: none
	Keyring  string // file that the archive's signatures are checked with; empty: apt's own
}

// FindMirror reads the package sources of this machine, below /etc/apt.
func FindMirror() (Mirror, error) { return findMirror(os.DirFS("/etc/apt"), codename()) }

// codename is the release of this machine.
func codename() string {
	text, _ := os.ReadFile("/etc/os-release")
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); ok {
			return strings.Trim(name, `"`)
		}
	}
	return ""
}

// source is an entry of the package sources.
type source struct {
	uri, keyring string
	suites       []string
}

// findMirror takes the sources that have the release of this machine itself: others are of other projects.
func findMirror(etc fs.FS, release string) (Mirror, error) {
	lists, _ := fs.Glob(etc, "sources.list.d/*.list")
	var all []source
	for _, path := range append([]string{"sources.list"}, lists...) {
		if text, err := fs.ReadFile(etc, path); err == nil {
			all = append(all, oneLine(string(text))...)
		}
	}
	paragraphs, _ := fs.Glob(etc, "sources.list.d/*.sources")
	for _, path := range paragraphs {
		if text, err := fs.ReadFile(etc, path); err == nil {
			all = append(all, deb822(string(text))...)
		}
	}
	var m Mirror
	for _, s := range all {
		if slices.Contains(s.suites, release) {
			m.Main, m.Keyring = cmp.Or(m.Main, s.uri), cmp.Or(m.Keyring, s.keyring)
		}
		if slices.Contains(s.suites, release+"-security") {
			m.Security = cmp.Or(m.Security, s.uri)
		}
	}
	if release == "" || m.Main == "" {
		return Mirror{}, errors.New("find the mirror of Debian: /etc/apt has no source of this machine's own release: machines are built on Debian")
	}
	return m, nil
}

// oneLine reads sources in the form "deb [options] uri suite component...".
func oneLine(text string) (out []source) {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "deb ")
		if !ok {
			continue
		}
		s := source{}
		if options, after, ok := strings.Cut(rest, "]"); ok && strings.HasPrefix(strings.TrimSpace(options), "[") {
			rest = after
			for _, option := range strings.Fields(strings.TrimPrefix(strings.TrimSpace(options), "[")) {
				if path, ok := strings.CutPrefix(option, "signed-by="); ok {
					s.keyring = path
				}
			}
		}
		words := strings.Fields(rest)
		if len(words) < 3 {
			continue
		}
		s.uri, s.suites = words[0], words[1:2]
		out = append(out, s)
	}
	return out
}

// deb822 reads sources in the form of paragraphs of fields.
func deb822(text string) (out []source) {
	fields := map[string]string{}
	flush := func() {
		off := strings.EqualFold(fields["enabled"], "no")
		uris, suites := strings.Fields(fields["uris"]), strings.Fields(fields["suites"])
		if !off && slices.Contains(strings.Fields(fields["types"]), "deb") && len(uris) > 0 {
			out = append(out, source{uri: uris[0], suites: suites, keyring: fields["signed-by"]})
		}
		clear(fields)
	}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			flush()
		}
		if name, value, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			fields[strings.ToLower(name)] = strings.TrimSpace(value)
		}
	}
	flush()
	return out
}

// lists are the sources of another release at this mirror, in apt's form.
func (m Mirror) lists(r Release) string {
	option := ""
	if filepath.IsAbs(m.Keyring) {
		option = "[signed-by=" + m.Keyring + "] "
	}
	text := fmt.Sprintf("deb %s%s %s main\n", option, m.Main, r.Name)
	if m.Security != "" && r.Supported {
		text += fmt.Sprintf("deb %s%s %s-security main\n", option, m.Security, r.Name)
	}
	return text
}
