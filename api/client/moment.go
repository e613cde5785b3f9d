// SPDX-License-Identifier: Apache-2.0

package client

import (
	"net/http"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// AsOf returns a client whose reads are about an earlier moment, a revision or a time of RFC 3339: it lists and inspects the objects as they were, and changes and
// findings up to then. It refuses changes and everything that is known only for the present. "" is now.
func (c *Client) AsOf(moment string) *Client {
	out := *c
	out.Moment = moment
	return &out
}

// asOf adds the moment to the path of a request.
func (c *Client) asOf(method, path string) (string, error) {
	if c.Moment == "" {
		return path, nil
	}
	if method != http.MethodGet {
		return "", model.Errorf(model.CodeUnsupported, "at", "the past cannot be changed").Try("leave out the moment")
	}
	name := "at"
	for _, list := range []string{"/api/v1/history", "/api/v1/timeline", "/api/v1/ledger"} {
		if path == list || strings.HasPrefix(path, list+"?") || strings.HasPrefix(path, list+"/") {
			name = "until" // where at has another meaning, or none
		}
	}
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + query(map[string][]string{name: {c.Moment}})[1:], nil
}

// ofMoment refuses an answer that is not about the moment: that of a netmaster which passes over the query.
func (c *Client) ofMoment(base string, answer *http.Response) error {
	if c.Moment == "" || answer.StatusCode != http.StatusOK || answer.Header.Get(model.AtHeader) != "" || answer.Request == nil || !answer.Request.URL.Query().Has("at") {
		return nil
	}
	return model.Errorf(model.CodeUnsupported, "at", "netmaster %s is of a version that does not know earlier moments", hostOf(base)).
		Try("netctl node ls shows the versions; upgrade netmaster")
}
