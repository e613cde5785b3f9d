// SPDX-License-Identifier: Apache-2.0

// Package uninstall removes what an agent has installed on a host: first the CNI configuration, so that no pod is started there without
// success, then its bridge, its interfaces, its rules in nftables and its files.
package uninstall
