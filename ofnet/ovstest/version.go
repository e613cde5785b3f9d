// SPDX-License-Identifier: Apache-2.0

package ovstest

import (
	"os/exec"
	"regexp"
	"strconv"
)

var version = regexp.MustCompile(`\(Open vSwitch\) (\d+)\.(\d+)`)

// Forgets reports whether the installed Open vSwitch can delete single connections (NXT_CT_FLUSH), as 3.1 and newer can.
func Forgets(tb TB) bool {
	tb.Helper()
	return atLeast(tb, 3, 1)
}

// Monitors reports whether the installed Open vSwitch reports changes of flows in OpenFlow 1.3, as 2.16 and newer can.
func Monitors(tb TB) bool {
	tb.Helper()
	return atLeast(tb, 2, 16)
}

// atLeast reports whether the installed Open vSwitch has a version or a newer one.
func atLeast(tb TB, wantMajor, wantMinor int) bool {
	tb.Helper()
	out, err := exec.Command("ovs-vswitchd", "--version").Output()
	m := version.FindSubmatch(out)
	if err != nil || m == nil {
		tb.Fatalf("version of Open vSwitch: %v: %q", err, out)
	}
	major, _ := strconv.Atoi(string(m[1])) // digits
	minor, _ := strconv.Atoi(string(m[2]))
	return major > wantMajor || major == wantMajor && minor >= wantMinor
}
