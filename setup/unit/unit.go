// SPDX-License-Identifier: Apache-2.0

// Package unit has the systemd units of the daemons. contiv init and contiv join write them on a host, and packages contain them.
package unit

import (
	"bytes"
	"embed"
	"fmt"
	"path/filepath"
	"text/template"
)

// User is the system's user as which netmaster runs.
const User = "contiv"

//go:embed files
var files embed.FS

// pauses are the lines about the pauses between restarts. They grow from one second to ten where systemd knows how.
const pauses = `{{define "pause"}}{{if .Growing}}RestartSec=1
RestartSteps=5
RestartMaxDelaySec=10{{else}}RestartSec=2{{end}}{{end}}`

// Paths are the paths in a unit.
type Paths struct {
	Bin       string // directory of the daemons
	Settings  string // file of a daemon's settings, without which it does not start
	Operators string // file of the operator's settings of a daemon, which may be absent
	Etc       string // directory that netmaster writes, below a directory that it cannot write
	State     string // directory of data
	Store     string // directory of the embedded store
	// Growing makes the pauses between restarts grow, which systemd knows from release 254 on.
	Growing bool
}

// Packaged returns the paths in the unit of a package.
func Packaged(daemon string) Paths {
	return Paths{Bin: "/usr/sbin", Settings: "/etc/contiv/host/" + daemon + ".env", Operators: "/etc/contiv/" + daemon + ".env", Etc: "/etc/contiv", State: "/var/lib/contiv", Store: "/var/lib/contiv/store"}
}

// Name returns the name of a daemon's unit.
func Name(daemon string) string { return "contiv-" + daemon + ".service" }

// Render returns the unit of a daemon, "netmaster" or "netplugin".
func Render(daemon string, p Paths) ([]byte, error) {
	text, err := files.ReadFile(filepath.Join("files", Name(daemon)))
	if err != nil {
		return nil, fmt.Errorf("unit of %s: %w", daemon, err)
	}
	t, err := template.New(daemon).Parse(pauses)
	if err == nil {
		t, err = t.Parse(string(text))
	}
	var out bytes.Buffer
	if err == nil {
		err = t.Execute(&out, p)
	}
	if err != nil {
		return nil, fmt.Errorf("unit of %s: %w", daemon, err)
	}
	return out.Bytes(), nil
}

// SwitchDelayName is the name of the drop-in with SwitchDelay, below the directory of units.
const SwitchDelayName = "ovs-vswitchd.service.d/contiv.conf"

// SwitchDelay is a drop-in for the unit of ovs-vswitchd (systemd.unit(5)): ovs-vswitchd starts no earlier than twelve seconds after the boot.
// Some releases of Open vSwitch, 3.1 of Debian 12 among them, count the machine's processors only from ten seconds after the boot on
// (count_cpu_cores of lib/ovs-thread.c; later ones do so at once). If such a release has bridges of the kernel's datapath before, it has no
// thread for the first packet of a connection, and no such packet passes until ovs-vswitchd restarts.
const SwitchDelay = `# contiv: some releases of Open vSwitch have no threads for first packets if they start within ten seconds after the boot.
[Service]
ExecStartPre=/bin/sh -c 'read up rest </proc/uptime; up=$${up%%.*}; [ $$up -ge 12 ] || sleep $$((12 - up))'
`

// Sysusers creates the user of netmaster (sysusers.d(5)).
const Sysusers = "u " + User + ` - "Contiv netmaster" /var/lib/contiv` + "\n"
