// SPDX-License-Identifier: Apache-2.0

// Command skel is a CNI plugin made with package skel of the CNI library, which does nothing.
package main

import (
	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/version"
)

func main() {
	nothing := func(*skel.CmdArgs) error { return nil }
	skel.PluginMainFuncs(skel.CNIFuncs{Add: nothing, Del: nothing, Check: nothing, GC: nothing, Status: nothing}, version.All, "")
}
