package setup

import (
	"context"
	"fmt"
)

// Step is one step of setting up a host. Do and Undo are harmless if there is nothing to do.
type Step struct {
	Name string // what it makes, as an error begins
	// Do runs the step and describes the change; "" if nothing had to change.
	Do func(ctx context.Context) (did string, err error)
	// Undo reverts the step when the host leaves the cluster; nil: nothing to revert.
	Undo func(ctx context.Context) (did string, err error)
}

// Run runs steps until one fails. Completed steps stay, and running the same steps again continues from there.
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
