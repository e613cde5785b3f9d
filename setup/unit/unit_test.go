// SPDX-License-Identifier: Apache-2.0

package unit

import (
	"strings"
	"testing"
)

// Directives are in the section where systemd reads them, and pauses grow only where systemd knows how.
func TestRender(t *testing.T) {
	for _, daemon := range []string{"netmaster", "netplugin"} {
		for _, growing := range []bool{false, true} {
			p := Packaged(daemon)
			p.Growing = growing
			text, err := Render(daemon, p)
			if err != nil {
				t.Fatal(err)
			}
			unit, service, _ := strings.Cut(string(text), "[Service]\n")
			pause := "\nRestartSec=2\n"
			if growing {
				pause = "\nRestartSec=1\nRestartSteps=5\nRestartMaxDelaySec=10\n"
			}
			for section, lines := range map[string][]string{
				unit: {"StartLimitIntervalSec=0\n", "ConditionPathExists=/etc/contiv/host/" + daemon + ".env\n", "\nWants=network-online.target\n", "\nRequiresMountsFor=/var/lib/contiv"},
				service: {"Type=notify\n", "\nWatchdogSec=60\n", "\nRestart=always\n", pause, "\nRestartPreventExitStatus=22\n", "\nExecStart=/usr/sbin/" + daemon + "\n",
					"EnvironmentFile=/etc/contiv/host/" + daemon + ".env\nEnvironmentFile=-/etc/contiv/" + daemon + ".env\n"},
			} {
				for _, line := range lines {
					if !strings.Contains(section, line) {
						t.Errorf("%s, growing %t: want %q, got %s", daemon, growing, line, section)
					}
				}
			}
			if strings.Contains(string(text), "RestartSteps") != growing {
				t.Errorf("%s: growing %t: %s", daemon, growing, text)
			}
		}
	}
	if _, err := Render("other", Paths{}); err == nil {
		t.Error("a unit of another daemon: want an error, got none")
	}
}

// No directive gives netplugin a mount namespace of its own, in which mounts of containers' namespaces would stay or not appear.
func TestMounts(t *testing.T) {
	text, err := Render("netplugin", Packaged("netplugin"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, "=")
		for _, not := range []string{"ProtectSystem", "ProtectHome", "ProtectKernel", "ProtectControlGroups", "ProtectHostname", "ProtectProc", "ProcSubset", "ReadOnlyPaths", "ReadWritePaths",
			"InaccessiblePaths", "TemporaryFileSystem", "PrivateTmp", "PrivateDevices", "PrivateMounts", "MountFlags", "BindPaths", "RootDirectory", "DynamicUser", "RuntimeDirectory", "StateDirectory"} {
			if strings.HasPrefix(name, not) {
				t.Errorf("%s: netplugin needs the mounts of the host", strings.TrimSpace(line))
			}
		}
	}
}
