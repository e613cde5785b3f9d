// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"github.com/contiv/contiv/api/model"
)

// HistoryQuery selects changes. Empty fields select all.
type HistoryQuery struct {
	Kind, Key string
	By        string // part of the claim, the program or the address
	Since     time.Time
	Limit     int // maximum number of changes, newest first; 0: all
}

// History returns changes, the newest last.
func (c *Client) History(ctx context.Context, q HistoryQuery) ([]model.HistoryEntry, error) {
	path := "/api/v1/history"
	if q.Kind != "" {
		path += "/" + url.PathEscape(q.Kind)
		if q.Key != "" {
			path += "/" + url.PathEscape(q.Key)
		}
	}
	v := url.Values{}
	set(v, "by", q.By)
	if !q.Since.IsZero() {
		v.Set("since", q.Since.UTC().Format(time.RFC3339))
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	var out []model.HistoryEntry
	return out, c.Raw(ctx, path+query(v), &out)
}

// ObjectAt returns an object at an earlier moment, a revision or a time of RFC 3339, as JSON.
func (c *Client) ObjectAt(ctx context.Context, kind *model.Kind, key, at string) (json.RawMessage, error) {
	var out json.RawMessage
	return out, c.Raw(ctx, "/api/v1/history/"+kind.Name+"/"+url.PathEscape(key)+query(url.Values{"at": {at}}), &out)
}

// ObjectsAt returns all objects at an earlier moment, of one kind or, with nil, of all, each after those that it needs.
func (c *Client) ObjectsAt(ctx context.Context, kind *model.Kind, at string) ([]model.ApplyObject, error) {
	path := "/api/v1/history"
	if kind != nil {
		path += "/" + kind.Name
	}
	var out []model.ApplyObject
	return out, c.Raw(ctx, path+query(url.Values{"at": {at}}), &out)
}

// AddressQuery selects addresses: those of a network of a tenant, or one address, of all networks that have it unless one is named.
type AddressQuery struct {
	Tenant, Network, Address string
	At                       string // a revision or a time of RFC 3339; "" is now
	Limit                    int    // maximum number of the ledger's entries, newest first; 0: all
}

func (q AddressQuery) values() url.Values {
	v := url.Values{}
	set(v, "tenant", q.Tenant)
	set(v, "network", q.Network)
	set(v, "address", q.Address)
	set(v, "at", q.At)
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	return v
}

// Addresses returns the owners of addresses, now or at an earlier moment.
func (c *Client) Addresses(ctx context.Context, q AddressQuery) ([]model.AddressState, error) {
	var out []model.AddressState
	return out, c.Raw(ctx, "/api/v1/addresses"+query(q.values()), &out)
}

// Ledger returns the changes of addresses' owners, the newest last.
func (c *Client) Ledger(ctx context.Context, q AddressQuery) ([]model.AddressEntry, error) {
	var out []model.AddressEntry
	return out, c.Raw(ctx, "/api/v1/ledger"+query(q.values()), &out)
}

// Quarantine reserves a free address so that it is not allocated.
func (c *Client) Quarantine(ctx context.Context, q model.QuarantineRequest) (model.AddressOwner, Revision, error) {
	var out model.AddressOwner
	rev, err := c.Post(ctx, "/api/v1/addresses/quarantine", q, &out)
	return out, rev, err
}

// FreeAddress ends a hold or a quarantine, and reports whether there was one.
func (c *Client) FreeAddress(ctx context.Context, q model.ReleaseRequest) (bool, Revision, error) {
	var out model.ReleaseAnswer
	rev, err := c.Post(ctx, "/api/v1/addresses/release", q, &out)
	return out.Released, rev, err
}

func set(v url.Values, name, value string) {
	if value != "" {
		v.Set(name, value)
	}
}

func query(v url.Values) string {
	if len(v) == 0 {
		return ""
	}
	return "?" + v.Encode()
}
