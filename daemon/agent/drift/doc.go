// SPDX-License-Identifier: Apache-2.0

// Package drift finds and repairs what others have changed on a host outside of the flow tables - the bridge and its ports, addresses of
// the host's own interfaces, nftables tables, kernel settings, host ends of containers - and reports the object that it belongs to.
package drift
