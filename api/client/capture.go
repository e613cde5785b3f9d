package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
)

// Capture asks for the packets of an endpoint as a stream of pcapng, which ends by itself or with ctx. The caller closes it.
func (c *Client) Capture(ctx context.Context, ask model.CaptureRequest) (io.ReadCloser, error) {
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
	err := error(model.Errorf(model.CodeUnavailable, "", "no netmaster is known"))
	for _, base := range c.bases(ctx) {
		var answer *http.Response
		if answer, err = c.send(ctx, base, http.MethodGet, "/api/v1/capture?"+query.Encode(), "application/x-pcapng", nil); err != nil {
			continue
		}
		if answer.StatusCode == http.StatusOK {
			return answer.Body, nil
		}
		err = refusal(answer)
		drain(answer.Body)
		if !unavailable(err) {
			return nil, err
		}
	}
	return nil, err
}
