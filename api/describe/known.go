// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/sanitize"
)

// requestTimeout bounds the wait for each source of a page.
const requestTimeout = 4 * time.Second

// maxReason bounds the length of a reason, in bytes.
const maxReason = 300

// known is an answer, or why there is none. The zero known was not requested.
type known[T any] struct {
	value T
	err   error
	asked bool
}

// ask requests an answer in the background.
func ask[T any](ctx context.Context, wait *sync.WaitGroup, to *known[T], get func(context.Context) (T, error)) {
	to.asked = true
	wait.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		to.value, to.err = get(ctx)
		if to.err == nil && ctx.Err() != nil { // a stream that the timeout has ended
			to.err = ctx.Err()
		}
	})
}

// unknown returns why the answer is not there; nil if it is.
func (k *known[T]) unknown() []string {
	if k.err == nil {
		return nil
	}
	return []string{reason(k.err)}
}

// reason is an error as an operator reads it.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		return "no answer within " + requestTimeout.String()
	}
	return sanitize.Line(err.Error(), maxReason)
}
