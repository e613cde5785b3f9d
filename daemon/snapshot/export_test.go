// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"bytes"
	"context"
	"time"
)

// SaveNow has a keeper save a snapshot, as one that is due.
func SaveNow(ctx context.Context, k *Saver) time.Duration { return k.save(ctx) }

// HeaderText returns all bytes before the body.
func HeaderText(h *Header) ([]byte, error) {
	var out bytes.Buffer
	err := writeHeader(&out, h)
	return out.Bytes(), err
}
