// SPDX-License-Identifier: Apache-2.0

package record

// ACIProfile is the application profile last sent to an ACI gateway, at ACIProfiles+Key. Only netmaster reads it.
type ACIProfile struct {
	Key     string `json:"key"` // "tenant:profile"
	Tenant  string `json:"tenant"`
	Profile string `json:"profile"`
	Applied string `json:"applied,omitempty"` // fingerprint of what the gateway accepted; "" for nothing
	Tried   string `json:"tried,omitempty"`   // fingerprint of the last attempt; "delete" for a deletion
	Failed  bool   `json:"failed,omitempty"`  // the last attempt failed
	Info    string `json:"info,omitempty"`    // the gateway's answer to it, or why there was none
}
