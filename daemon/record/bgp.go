package record

// BGP is the routing of one host, at BGPs+Hostname.
type BGP struct {
	ID         string `json:"id"`        // the host's label
	Hostname   string `json:"hostname"`  // the same
	RouterIP   string `json:"router-ip"` // own address with its length
	AS         string `json:"as"`
	NeighborAS string `json:"neighbor-as"`
	Neighbor   string `json:"neighbor"` // address
}
