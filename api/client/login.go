// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// Login requests a token from netmaster, or the original's auth proxy, the first of Base. It returns the answer's status and body
// unchanged; an error means that there was no answer.
func (c *Client) Login(ctx context.Context, user, password string) (status int, answer []byte, err error) {
	body, err := json.Marshal(map[string]string{"username": user, "password": password})
	if err != nil {
		return 0, nil, err
	}
	for _, path := range []string{"/api/v1/auth/login", "/api/v1/auth_proxy/login/"} {
		response, err := c.send(ctx, c.bases(ctx)[0], http.MethodPost, path, "application/json", body)
		if err != nil {
			return 0, nil, err
		}
		answer, err = io.ReadAll(io.LimitReader(response.Body, 1<<20))
		drain(response.Body)
		if status = response.StatusCode; status != http.StatusNotFound || err != nil {
			return status, answer, err
		}
	}
	return status, answer, nil
}
