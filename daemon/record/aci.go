package record

// ACIProfile is what an ACI gateway was told of an application profile, at ACIProfiles+Key. Only netmaster reads it.
type ACIProfile struct {
	Key     string `json:"key"` // "tenant:profile"
	Tenant  string `json:"tenant"`
	Profile string `json:"profile"`
	Applied string `json:"applied,omitempty"` // fingerprint of what the gateway took; "" for nothing
	Tried   string `json:"tried,omitempty"`   // fingerprint of the last attempt; "delete" for a deletion
	Failed  bool   `json:"failed,omitempty"`  // the last attempt did
	Info    string `json:"info,omitempty"`    // what the gateway answered to it, or why there was none
}
