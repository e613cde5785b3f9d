// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/trust"
)

// pluginName is the name under which the managed plugin is installed.
const pluginName = "contiv/v2plugin:latest"

// managed is a managed plugin on the hosts of a lab without agents: netplugin on all, netmaster on the first.
type managed struct {
	t      *testing.T
	lab    *lab.Lab
	dir    string // where its logs are
	master string // URL
}

// install installs the plugin of a directory on every host of a lab and enables it.
func install(t *testing.T, l *lab.Lab, folder string) *managed {
	t.Helper()
	hosts := l.HostList()
	m := newManaged(t, l)
	for i, h := range hosts {
		docker(t, l, h.Name, "plugin", "create", pluginName, folder)
		docker(t, l, h.Name, append([]string{"plugin", "set", pluginName}, m.settings(i)...)...)
		docker(t, l, h.Name, "plugin", "enable", pluginName)
	}
	return m
}

// newManaged is the plugin of a lab whose hosts have certificates, as contiv init and contiv join leave them in /etc/contiv/trust. This
// process is an administrator.
func newManaged(t *testing.T, l *lab.Lab) *managed {
	t.Helper()
	hosts := l.HostList()
	m := &managed{t: t, lab: l, dir: l.Dir, master: "https://" + hosts[0].IP + ":9999"}
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := a.PEM()
	if err != nil {
		t.Fatal(err)
	}
	certify := func(d trust.Dir, key []byte, who trust.Identity, names ...string) {
		if err := errors.Join(d.SaveAuthority(certificate, key), d.Certify(a, who, time.Now(), names...)); err != nil {
			t.Fatal(err)
		}
	}
	for i, h := range hosts {
		d, names := trust.Dir(filepath.Join(m.dir, h.Name, "etc/contiv/trust")), []string{h.Name, "localhost", "127.0.0.1", h.IP}
		certify(d, nil, trust.Identity{Role: trust.Agent, Name: h.Name}, names...)
		if i == 0 {
			certify(d, key, trust.Identity{Role: trust.Master, Name: h.Name}, names...)
		}
	}
	own := trust.Dir(t.TempDir())
	certify(own, nil, trust.Identity{Role: trust.User, Name: setup.Admin})
	t.Setenv("CONTIV_TRUST", string(own))
	return m
}

// etcSource is the setting by which the plugin takes the directory of a lab's host for the machine's /etc. An upgrade of the plugin loses
// it, as every source of a mount.
const etcSource = "etc.source=/run/lab/etc"

// settings are those of a host.
func (m *managed) settings(host int) []string {
	first, h := m.lab.HostList()[0], m.lab.HostList()[host]
	out := []string{
		etcSource, "CONTIV_LOG_DIR=/var/run/lab/log", "CONTIV_NETPLUGIN_HOST=" + h.Name, "CONTIV_NETPLUGIN_NETMASTERS=" + first.IP + ":9999", "CONTIV_NETPLUGIN_DATAPATH=netdev",
		"CONTIV_NETPLUGIN_CONTROL_IP=" + h.IP, "CONTIV_NETPLUGIN_VTEP_IP=" + h.VTEP,
		"CONTIV_NETPLUGIN_MACHINE_ID=" + m.lab.Name + "/" + h.Name, // the hosts of a lab share the machine's
	}
	if host == 0 {
		out = append(out, "CONTIV_ROLE=netmaster", "CONTIV_NETMASTER_EMBEDDED_STORE=/var/lib/contiv/store",
			"CONTIV_NETMASTER_EMBEDDED_CLIENT_URL=https://"+h.IP+":2379",
			"CONTIV_NETMASTER_EXTERNAL_ADDRESS="+h.IP+":9999", "CONTIV_NETMASTER_INTERNAL_ADDRESS="+h.IP+":9999")
	}
	return out
}

// log is what a program of the plugin on a host has logged.
func (m *managed) log(host, program string) string {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.dir, host, "log", program+".log"))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

// logged waits until a program's log has a text a number of times.
func (m *managed) logged(host, program, text string, times int) {
	m.t.Helper()
	within(m.t, 30*time.Second, func() error {
		if got := strings.Count(m.log(host, program), text); got < times {
			return fmt.Errorf("%s of %s has logged %q %d times, want %d", program, host, text, got, times)
		}
		return nil
	})
}

// netctl is netctl at the plugin's netmaster; it fails the test on an error.
func (m *managed) netctl(args ...string) string {
	m.t.Helper()
	out, err := netctl(m.t, m.master, args...)
	if err != nil {
		m.t.Fatalf("netctl %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

// within tries until there is no error.
func within(t *testing.T, patience time.Duration, try func() error) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %s: %v", patience, err)
		}
	}
}

// on runs a command on a host and returns what it prints.
func on(t *testing.T, l *lab.Lab, host string, args ...string) (string, error) {
	t.Helper()
	cmd, err := l.Command(t.Context(), host, args...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
