// SPDX-License-Identifier: Apache-2.0

package record

import "time"

// Prefixes of what receivers of alerts know. No agent receives these records.
const (
	Alerts         = Root + "alerts/"         // + Alert.Key
	AlertReceivers = Root + "alertreceivers/" // + AlertReceiver.ID
)

// Alert is a finding that a receiver has been sent as firing, and not as resolved.
type Alert struct {
	Key      string    `json:"key"`      // AlertKey
	Receiver string    `json:"receiver"` // ID of the receiver
	Code     string    `json:"code"`     // Code, Host, Object and Severity are those of the finding
	Host     string    `json:"host,omitempty"`
	Object   string    `json:"object"`
	Severity string    `json:"severity"`
	Since    time.Time `json:"since"` // its start, as sent
}

// AlertKey returns the key of the alert about a finding at a receiver.
func AlertKey(receiver, code, host, object string) string {
	return receiver + "/" + code + "/" + host + "/" + object
}

// AlertReceiver is a receiver that does not accept alerts. A receiver that accepts them has no record.
type AlertReceiver struct {
	ID    string    `json:"id"`
	URL   string    `json:"url"`
	Since time.Time `json:"since"` // the first refused request since the last accepted one
	Error string    `json:"error"` // why that was refused
}
