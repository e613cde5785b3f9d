// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/contiv/contiv/identity"
)

// Code is the kind of an error, for programs. Codes are stable.
type Code string

// The codes. CodeOf gives their HTTP status and exit code.
const (
	CodeInvalid     Code = "invalid"     // a field is wrong
	CodeNotFound    Code = "not-found"   // the object does not exist
	CodeConflict    Code = "conflict"    // the object exists and differs, or a name or number is taken
	CodeInUse       Code = "in-use"      // something still needs the object
	CodeExhausted   Code = "exhausted"   // no address or number is left
	CodeImmutable   Code = "immutable"   // the object or field does not change
	CodeNotReady    Code = "not-ready"   // something that this needs is not configured yet
	CodeUnavailable Code = "unavailable" // the store, the leader or an agent cannot be reached; retry
	CodeNoSpace     Code = "no-space"    // the store has used up its quota; an operator must act
	CodeTooLarge    Code = "too-large"   // the request is larger than permitted
	CodeTooSlow     Code = "too-slow"    // the request did not arrive in time
	CodeBusy        Code = "busy"        // the client has too many concurrent requests
	CodeForbidden   Code = "forbidden"   // a request that a browser may have been tricked into
	CodeUnproved    Code = "unproved"    // the requester is not authenticated
	CodeDenied      Code = "denied"      // the requester lacks a right
	CodeUnsupported Code = "unsupported" // the object or the program does not support the operation
	CodeInternal    Code = "internal"    // a defect of this program
)

// CodeInfo describes an error code's other representations and its remedy.
type CodeInfo struct {
	Code   Code   `json:"code"`
	Status int    `json:"status"` // HTTP
	Exit   int    `json:"exit"`   // of netctl
	Doc    string `json:"doc"`
	Remedy string `json:"remedy"`
}

// Codes lists every code once; it is the only table of its kind.
func Codes() []CodeInfo {
	return []CodeInfo{
		{CodeInvalid, http.StatusBadRequest, 3, "A field of the request is missing or malformed.", "Correct the field that the message names; netctl explain KIND.FIELD shows what it takes."},
		{CodeNotFound, http.StatusNotFound, 3, "The object does not exist.", "Check the name and the tenant with netctl KIND ls --all."},
		{CodeConflict, http.StatusConflict, 3, "An object with this name, tag, subnet or address is already there.", "Choose another, or remove the one that the message names."},
		{CodeInUse, http.StatusConflict, 3, "Other objects still need this one.", "Remove those that the message names first."},
		{CodeExhausted, http.StatusConflict, 3, "Every address or number of the pool is in use.", "Free some, or widen the pool."},
		{CodeImmutable, http.StatusConflict, 3, "The object or field cannot change once it is made.", "Delete the object and create it again."},
		{CodeNotReady, http.StatusConflict, 3, "Something that the request needs is not configured yet.", "Configure what the message names, then repeat."},
		{CodeUnavailable, http.StatusServiceUnavailable, 3, "The store, the leader or an agent did not answer; the outcome may be unknown.", "Repeat the request: every request may be repeated safely."},
		{CodeNoSpace, http.StatusInsufficientStorage, 3, "The store has used up its quota: nothing can be stored, while reads and traffic continue.", "Give the store space: docs/how-to/store-space.md has the commands. No restart is needed."},
		{CodeTooLarge, http.StatusRequestEntityTooLarge, 3, "The request is larger than the server accepts.", "Send fewer or smaller objects in one request."},
		{CodeTooSlow, http.StatusRequestTimeout, 3, "The request did not come within its time.", "Repeat it, over a connection that is not as slow."},
		{CodeBusy, http.StatusTooManyRequests, 3, "This client has the maximum number of requests of that kind in progress.", "End one of them, or wait; the message names the flag that permits more."},
		{CodeForbidden, http.StatusForbidden, 3, "The request may be one that another site had a browser send.", "Reach the server by its address or by a name of --allowed-hosts; make changes with netctl or another client that is no browser."},
		{CodeUnproved, http.StatusUnauthorized, 3, "The request is not authenticated, or its token is no longer valid.", "Log in with netctl login, or use a certificate of the cluster."},
		{CodeDenied, http.StatusForbidden, 3, "The requester lacks a right.", "netctl auth can-i shows what is permitted; an admin grants a role with netctl authorization create."},
		{CodeUnsupported, http.StatusMethodNotAllowed, 3, "This kind of object has no such verb.", "See netctl KIND --help for its verbs."},
		{CodeInternal, http.StatusInternalServerError, 3, "The program has a defect.", "Report it with the netmaster log of that moment."},
	}
}

// Info finds the table's row of a code; of an unknown code, the one of CodeInternal.
func (c Code) Info() CodeInfo {
	var internal CodeInfo
	for _, i := range Codes() {
		if i.Code == c {
			return i
		}
		if i.Code == CodeInternal {
			internal = i
		}
	}
	return internal
}

// Error is a refusal as data. Message is the text that clients of the original compare; Remedy is the remedy.
type Error struct {
	Code    Code   `json:"code"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
	Err     error  `json:"-"` // cause, for logs
}

// Error prints the message and the remedy, if any.
func (e *Error) Error() string { return e.Message + e.bracket() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Because adds the cause and returns the error.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// AsError finds the Error in err's chain; anything else becomes one of CodeInternal.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: CodeInternal, Message: err.Error(), Err: err}
}

// NotFound is the refusal of an unknown key, in the original's words. keys lists the keys of a kind, to report a missing tenant, and to
// suggest similar names; nil: they are unknown.
func NotFound(k *Kind, key string, keys func(*Kind) []string) *Error {
	return Errorf(CodeNotFound, "", "%s not found", k.Name).Unknown(k, key, keys)
}

// Unknown adds the unknown key of a kind to a refusal, as NotFound does, and returns the error.
func (e *Error) Unknown(k *Kind, key string, keys func(*Kind) []string) *Error {
	if keys == nil {
		keys = func(*Kind) []string { return nil }
	}
	if tenants := keys(KindTenant()); k.TenantScoped() && len(tenants) > 0 {
		if tenant := identity.Scope(key); !slices.Contains(tenants, tenant) {
			return e.Try("there is no tenant %q; %s", tenant, Instead(KindTenant(), tenant, tenants))
		}
	}
	return e.Try("the key is %q%s", key, semicolon(Instead(k, key, keys(k))))
}

// Instead suggests, as the end of a remedy, similar existing keys, and the command that lists all.
func Instead(k *Kind, key string, keys []string) string {
	const most = 5
	var parts []string
	if alike := alikeKeys(k, key, keys); len(alike) > 0 {
		parts = append(parts, "did you mean "+list(alike)+"?")
	} else if k == KindTenant() && 0 < len(keys) && len(keys) <= most {
		slices.Sort(keys)
		parts = append(parts, "tenants: "+strings.Join(keys, ", ")+";")
	}
	if listing := k.Listing(); listing != "" {
		parts = append(parts, listing+" lists them")
	}
	return strings.Join(parts, " ")
}

// alikeKeys returns the suggestions: those of other tenants with the same name, then similar ones in the same tenant.
func alikeKeys(k *Kind, key string, keys []string) []string {
	tenant, name, scoped := identity.Cut(key)
	if !k.TenantScoped() || !scoped {
		return Alike(key, keys)
	}
	var own, elsewhere []string
	for _, other := range keys {
		switch t, n, _ := identity.Cut(other); {
		case t == tenant:
			own = append(own, n)
		case n == name && len(elsewhere) < 3:
			elsewhere = append(elsewhere, other)
		}
	}
	for _, n := range Alike(name, own) {
		elsewhere = append(elsewhere, Key(tenant, n))
	}
	return elsewhere
}

func semicolon(s string) string {
	if s == "" {
		return ""
	}
	return "; " + s
}
