// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"fmt"
)

// FormatKey is the key of the format of the store's records; see ParseFormat.
const FormatKey = Root + "format"

// Format is the format of the records in a store, at FormatKey.
type Format struct {
	Format int `json:"format"`
}

// ParseFormat returns the format of a store's records from the value at FormatKey. A store without a value has format 1.
func ParseFormat(value []byte) (int, error) {
	if len(value) == 0 {
		return 1, nil
	}
	var f Format
	if err := json.Unmarshal(value, &f); err != nil {
		return 0, fmt.Errorf("format of the records: %w", err)
	}
	if f.Format < 1 {
		return 0, fmt.Errorf("format of the records: got %d, want at least 1", f.Format)
	}
	return f.Format, nil
}
