// Package trap brings packets of one sort from a switch to this program, for as long as it lives.
//
// The flows that do so are leased: they end by themselves within Lease when nobody renews them. So packets go their
// ordinary way again soon after the program has died, hangs, or has lost its switch - and at once when it ends in order.
package trap
