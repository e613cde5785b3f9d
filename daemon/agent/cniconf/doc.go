// SPDX-License-Identifier: Apache-2.0

// Package cniconf installs the CNI plugin, and the configuration that names it, in the directories of the host's container runtime. The
// configuration is written last, when the agent serves, and removed first: without one a node is not ready, and no pod is scheduled there.
//
// A CacheSweeper removes incomplete files that a killed runtime has left in the cache of its CNI library. The library keeps the result of
// each ADD in a file, which it creates and then writes. If the runtime ends between the two, the file stays empty, and with a library older
// than version 1.3, such as that of containerd 1.6, every DEL of that container fails from then on, before a plugin is called: its pod is
// never deleted. Without the file the library calls the plugin, which needs no earlier result; newer libraries remove the file themselves.
package cniconf
