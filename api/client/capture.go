// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
)

// Capture is a stream of the packets of one or two endpoints. The caller closes it.
type Capture struct {
	io.ReadCloser
	At []string // descriptions of the capture points, one for each endpoint
}

// Capture requests packets. It blocks until netmaster has located the endpoints; the stream ends by itself or with ctx, and reading a
// truncated one returns an error other than io.EOF.
func (c *Client) Capture(ctx context.Context, ask model.CaptureRequest) (*Capture, error) {
	query := url.Values{}
	for name, value := range map[string]string{"of": ask.Of, "peer": ask.Peer, "tenant": ask.Tenant, "network": ask.Network, "host": ask.Host, "filter": ask.Filter} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for name, value := range map[string]int{"packets": ask.Packets, "seconds": ask.Seconds} {
		if value != 0 {
			query.Set(name, strconv.Itoa(value))
		}
	}
	if ask.Both {
		query.Set("both", "true")
	}
	media := model.CaptureFile
	if ask.Lines {
		media = model.CaptureLines
	}
	err := error(model.Errorf(model.CodeUnavailable, "", "no netmaster is known"))
	for _, base := range c.bases(ctx) {
		var answer *http.Response
		if answer, err = c.send(ctx, base, http.MethodGet, "/api/v1/capture?"+query.Encode(), media, nil); err != nil {
			continue
		}
		at := answer.Header.Values(model.CaptureHeader)
		switch got, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); {
		case answer.StatusCode == http.StatusOK && got == media && len(at) > 0:
			return &Capture{answer.Body, at}, nil
		case answer.StatusCode == http.StatusOK:
			_ = answer.Body.Close() // it may continue for minutes
			return nil, model.Errorf(model.CodeUnsupported, "", "the netmaster at %s does not join captures", base).Try("it is of another version: netctl version")
		}
		err = Refusal(answer)
		drain(answer.Body)
		if !unavailable(err) {
			return nil, err
		}
	}
	return nil, err
}
