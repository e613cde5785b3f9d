package record

import "fmt"

// Claim says which machine has a host's label, its tunnel end or its control address: each belongs to one machine at a time. It
// outlives the agent, so that no one else becomes the host while that is down. The claim of the label names the other two.
type Claim struct {
	Machine string `json:"machine"`           // identity of the machine, a hash
	Host    string `json:"host"`              // label
	VTEP    string `json:"vtep,omitempty"`    // tunnel address
	Control string `json:"control,omitempty"` // "address:port" of the agent's REST interface; "" when it serves none
	Since   string `json:"since"`             // RFC 3339
}

// HostClaim is the key of the claim of a host's label; VTEPClaim and ControlClaim are those of addresses.
func HostClaim(label string) string      { return Claims + "host/" + label }
func VTEPClaim(address string) string    { return Claims + "vtep/" + address }
func ControlClaim(address string) string { return Claims + "control/" + address }

// Keys are the claims that belong to the host of the claim c.
func (c *Claim) Keys() []string {
	keys := []string{HostClaim(c.Host)}
	if c.VTEP != "" {
		keys = append(keys, VTEPClaim(c.VTEP))
	}
	if c.Control != "" {
		keys = append(keys, ControlClaim(c.Control))
	}
	return keys
}

// String names who holds the claim.
func (c *Claim) String() string {
	text := fmt.Sprintf("host %s (machine %s, tunnel address %s", c.Host, c.Machine, c.VTEP)
	if c.Control != "" {
		text += ", control address " + c.Control
	}
	return text + ")"
}

// Live is the running agent of a host, leased, at LiveClaim. Of two machines that cannot be told apart it lets one at a time be
// the host.
type Live struct {
	Machine string `json:"machine"`
	Seat    string `json:"seat"` // token of the switch that the agent works with; the same after the agent's restart
}

// LiveClaim is the key of the running agent of a host.
func LiveClaim(label string) string { return Claims + "live/" + label }
