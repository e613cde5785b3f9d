// SPDX-License-Identifier: Apache-2.0

package model

// Problem is a refusal on the wire, application/problem+json (RFC 9457).
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   Code   `json:"code"`
	Field  string `json:"field,omitempty"`
	Remedy string `json:"remedy,omitempty"`
}

// Problem converts an error to its wire form.
func (e *Error) Problem() Problem {
	info := e.Code.Info()
	return Problem{
		Type: "urn:contiv:error:" + string(e.Code), Title: info.Doc, Status: info.Status,
		Detail: e.Message, Code: e.Code, Field: e.Field, Remedy: e.Remedy,
	}
}

// Error converts the wire form to an error.
func (p Problem) Error() *Error {
	return &Error{Code: p.Code, Field: p.Field, Message: p.Detail, Remedy: p.Remedy}
}
