// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"fmt"
)

// Step is one step of a setup. Repeating it is harmless, and so is undoing a step that was not done.
type Step struct {
	Name string // a noun; the prefix of errors
	// Do does the step, and returns a description of the change, or "" if the step was done before.
	Do func(ctx context.Context) (did string, err error)
	// Undo reverts the step when the host leaves its cluster; nil: there is nothing to revert.
	Undo func(ctx context.Context) (did string, err error)
}

// Run runs steps until one fails. A later run continues with the failed step.
func Run(ctx context.Context, steps []Step, say func(string)) error {
	for _, s := range steps {
		did, err := s.Do(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if did != "" {
			say(did)
		}
	}
	return nil
}
