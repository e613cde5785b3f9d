// SPDX-License-Identifier: Apache-2.0

package finder

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// consul queries a Consul over its HTTP API.
type consul struct {
	http  *http.Client
	token string
}

func (c *consul) values(ctx context.Context, url string) (out [][]byte, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/v1/kv"+prefix+"?recurse", nil)
	if err != nil {
		return nil, err
	}
	if c.token != "" {
		q.Header.Set("X-Consul-Token", c.token)
	}
	answer, err := c.http.Do(q)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	switch answer.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound: // nothing is below the prefix
		return nil, nil
	default:
		return nil, fmt.Errorf("the request for netmasters: got %s, want 200 OK", answer.Status)
	}
	var items []struct{ Value []byte }
	if err := json.NewDecoder(io.LimitReader(answer.Body, answerMax)).Decode(&items); err != nil {
		return nil, err
	}
	for _, i := range items {
		out = append(out, i.Value)
	}
	return out, nil
}
