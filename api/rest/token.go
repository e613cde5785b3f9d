// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"encoding/base64"
	"encoding/json"

	"github.com/contiv/contiv/api/model"
)

// token is the position of a list, and identifies the list. It depends on keys and not on a moment or a netmaster: any netmaster can
// continue with it.
type token struct {
	Kind   string `json:"kind"`
	Fields string `json:"fields,omitempty"`
	Labels string `json:"labels,omitempty"`
	After  string `json:"after"` // the last key
}

// String encodes the token for clients.
func (t token) String() string {
	text, _ := json.Marshal(t) // texts always can be
	return base64.RawURLEncoding.EncodeToString(text)
}

// position parses a token, which must be of the same list as t, and returns its key. Errors are *model.Error.
func (t token) position(text string) (string, error) {
	var got token
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(plain, &got)
	}
	if err != nil || got.After == "" {
		return "", BadToken("not a token of a list")
	}
	after := got.After
	if got.After = t.After; got != t {
		return "", BadToken("the token of another list")
	}
	return after, nil
}

// BadToken is the error for an invalid continuation token.
func BadToken(problem string) *model.Error {
	return model.Errorf(model.CodeInvalid, continueParameter, "%s is %s", continueParameter, problem).
		Try("use the header %s of the previous page, with the same selectors; without a token the list starts from the beginning", model.ContinueHeader)
}
