// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"fmt"
	"time"
)

// pause is between two tries.
const pause = 100 * time.Millisecond

// eventually tries until there is no error, or the context ends; then it returns the last one.
func eventually(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}
