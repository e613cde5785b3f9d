// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// pageDir has the pages for operators of Docker, and pageFiles are those whose commands the tests run, in this order.
const pageDir = "../../docs/how-to"

var pageFiles = []string{"docker-install.md", "docker-networks.md", "docker-ports.md", "docker-plugin.md", "docker-swarm.md"}

// Stands on which the commands of a section are run.
const (
	standHosts  = "hosts"  // with netplugin beside their engines
	standPlugin = "plugin" // with the managed plugin, which is installed by the page
	standLab    = "lab"    // the machine itself
	standFiles  = "files"  // lines of files, of which the first names one
)

// stands are those of the pages' titles and sections.
var stands = map[string]string{"Install on Docker": standLab, "A door that stays": standFiles, "Use networks in Docker": standHosts, "Networks of your own": standHosts,
	"Publish ports of Docker containers": standHosts, "Install the managed plugin of Docker": standPlugin, "Upgrade": standPlugin, "Use Docker Swarm": standPlugin}

// shown is a command line of the page, and what the page shows of its output.
type shown struct {
	section, command string
	output           []string
}

// page reads the command lines in the indented blocks of all pages: those behind "$ ", or all of a block without any.
func page(t *testing.T) (out []shown) {
	t.Helper()
	for _, name := range pageFiles {
		out = append(out, commands(t, filepath.Join(pageDir, name))...)
	}
	return out
}

// commands reads the command lines of one page.
func commands(t *testing.T, file string) (out []shown) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	section := ""
	var block []string
	end := func() {
		prompt := slices.ContainsFunc(block, func(l string) bool { return strings.HasPrefix(l, "$ ") })
		for _, line := range block {
			command, is := strings.CutPrefix(line, "$ ")
			switch {
			case is || !prompt:
				out = append(out, shown{section: section, command: command})
			default:
				last := &out[len(out)-1]
				last.output = append(last.output, strings.TrimSpace(line))
			}
		}
		block = nil
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if text, is := strings.CutPrefix(line, "    "); is {
			block = append(block, text)
			continue
		}
		end()
		if strings.HasPrefix(line, "#") {
			section = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
	}
	end()
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// prints compares what the command has printed with the page.
func (s *shown) prints(out string, err error) error {
	var got []string
	for line := range strings.Lines(out) {
		got = append(got, strings.TrimSpace(line))
	}
	if err != nil || !slices.Equal(got, s.output) {
		return fmt.Errorf("%s: %s: prints %q (%v), the page shows %q", s.section, s.command, got, err, s.output)
	}
	return nil
}

// follow runs the page's commands of a stand, one after the other; names of the page are replaced, in pairs. The output of a search is
// that of the page.
func follow(t *testing.T, stand string, run func(s shown, command string) (string, error), names ...string) {
	t.Helper()
	replacer, ran := strings.NewReplacer(names...), 0
	for _, s := range page(t) {
		if stands[s.section] != stand {
			continue
		}
		ran++
		command := replacer.Replace(s.command)
		if strings.Contains(command, "| grep") {
			within(t, 20*time.Second, func() error { return s.prints(run(s, command)) }) // a container's name arrives a moment later
		} else if out, err := run(s, command); err != nil {
			t.Errorf("%s: %s: %v: %s", s.section, s.command, err, out)
		}
	}
	if ran == 0 {
		t.Errorf("the page has no commands for %s", stand)
	}
}

// Each command of the page is one that a test runs.
func TestPageHasStands(t *testing.T) {
	all := page(t)
	for _, s := range all {
		if stands[s.section] == "" {
			t.Errorf("section %q: no test runs %q", s.section, s.command)
		}
	}
	if len(all) < 20 {
		t.Errorf("the page has %d commands", len(all))
	}
}

// The page's commands for hosts do what they say.
func TestPage(t *testing.T) {
	c := start(t, lab.Plan{Name: "page"})
	c.must("tenant", "create", "blue")
	for i, args := range [][]string{{"net"}, {"--tenant", "blue", "net"}, {"blue"}} {
		subnet := "10." + string(rune('5'+i)) + ".0.0/24"
		c.must(append([]string{"network", "create", "--encap", "vxlan", "--subnet", subnet, "--gateway", strings.Replace(subnet, "0/24", "254", 1)}, args...)...)
	}
	c.must("group", "create", "net", "web")
	c.must("group", "create", "--tenant", "blue", "net", "web")
	for _, name := range []string{"net", "net/blue", "web", "web/blue", "blue"} {
		c.hosted(name)
	}
	c.shell("h1", "iptables -N DOCKER-USER") // as the engine does that writes rules
	url, err := c.MasterURL()
	if err != nil {
		t.Fatal(err)
	}
	follow(t, standHosts, func(_ shown, command string) (string, error) {
		return on(t, c.Lab, "h1", "env", "NETMASTER="+url, "CONTIV_TRUST=/run/lab/trust", "sh", "-c", "PATH="+c.bin+":$PATH; "+command)
	})
	c.serves(files(t), "net")
}
