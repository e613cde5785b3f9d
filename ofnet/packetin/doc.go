// Package packetin has a switch send packets of one kind to this program (OpenFlow 1.3.5, section 6.1.2), for as long as it lives.
//
// The flows that do so are leased: they expire within Lease when the program does not renew them. So packets go their ordinary way
// again soon after the program has died, hangs, or has lost its switch, and at once when it stops in order.
package packetin
