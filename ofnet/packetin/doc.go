// SPDX-License-Identifier: Apache-2.0

// Package packetin makes a switch send packets of one kind to this program (OpenFlow 1.3.5, section 6.1.2) while it runs.
//
// The flows that do so are leased: they expire within Lease unless the program renews them. Packets therefore take their normal path again
// soon after the program has died, hangs, or has lost its switch, and at once after an orderly stop.
package packetin
