package client

import (
	"encoding/json"
	"fmt"
)

// rawObject is an element of a list whose type is known only at run time.
type rawObject json.RawMessage

// UnmarshalJSON keeps the bytes.
func (r *rawObject) UnmarshalJSON(b []byte) error {
	*r = append((*r)[:0], b...)
	return nil
}

func (r rawObject) decode(out any) error {
	if err := json.Unmarshal(r, out); err != nil {
		return fmt.Errorf("decode the answer: %w", err)
	}
	return nil
}
