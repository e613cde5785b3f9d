// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"io"
	"mime"
	"net/http"

	"github.com/contiv/contiv/api/model"
)

// Bundle requests a support bundle. It blocks until netmaster starts to write it; the stream may take minutes, and reading a truncated one
// returns an error other than io.EOF. The caller closes it.
func (c *Client) Bundle(ctx context.Context) (io.ReadCloser, error) {
	const media = "application/gzip"
	err := error(model.Errorf(model.CodeUnavailable, "", "no netmaster is known"))
	for _, base := range c.bases(ctx) {
		var answer *http.Response
		if answer, err = c.send(ctx, base, http.MethodGet, "/api/v1/bundle", media, nil); err != nil {
			continue
		}
		if got, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); answer.StatusCode == http.StatusOK && got == media {
			return answer.Body, nil
		}
		err = Refusal(answer)
		if answer.StatusCode == http.StatusNotFound {
			err = model.Errorf(model.CodeUnsupported, "", "the netmaster at %s writes no support bundles", base).Try("it is of another version: netctl version")
		}
		drain(answer.Body)
		if !unavailable(err) {
			return nil, err
		}
	}
	return nil, err
}
