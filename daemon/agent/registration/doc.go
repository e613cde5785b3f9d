// Package registration has netmasters admit this machine as the host that it is told to be, and says by what they know it: its identity, and the seat at its
// Open vSwitch, which one agent has at a time. Of two machines with one label or address the second is refused and says why.
package registration
