// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/netctl/term"
)

// showBundle shows a support bundle, at the time at which it was made.
func showBundle(ctx context.Context, in io.Reader, out io.Writer, m *Model, o *options) error {
	b, err := term.OpenBundle(ctx, o.bundle)
	if err != nil {
		return fmt.Errorf("--bundle: %w", err)
	}
	defer b.Close()
	ago := time.Since(b.Manifest.Made)
	f := feed.New(&client.Client{Base: term.BundleBase, HTTP: &http.Client{Transport: b.Transport}, Program: "console/" + build.Info().Version},
		func() time.Time { return time.Now().Add(-ago) })
	m.cluster, m.bundle, m.now = f, b.String(), b.Manifest.Made
	m.clock = m.now
	if err := o.travel(m); err != nil {
		return err
	}
	return o.show(ctx, in, out, f, m)
}
