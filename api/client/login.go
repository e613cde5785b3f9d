package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// Login asks the auth proxy, the first of Base, for a token. It returns the answer's status and body as they are; an error means
// that there was no answer.
func (c *Client) Login(ctx context.Context, user, password string) (status int, answer []byte, err error) {
	body, err := json.Marshal(map[string]string{"username": user, "password": password})
	if err != nil {
		return 0, nil, err
	}
	response, err := c.send(ctx, c.bases(ctx)[0], http.MethodPost, "/api/v1/auth_proxy/login/", "application/json", body)
	if err != nil {
		return 0, nil, err
	}
	defer drain(response.Body)
	answer, err = io.ReadAll(io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, answer, err
}
