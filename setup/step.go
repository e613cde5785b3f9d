package setup

import (
	"context"
	"fmt"
)

// Step is one thing that setting up a host takes. Doing it again is harmless, and so is undoing what was not done.
type Step struct {
	Name string // what it makes, as an error begins
	// Do does it, and says what was done; "" is nothing, as it was done before.
	Do func(ctx context.Context) (did string, err error)
	// Undo takes it back, for who leaves the cluster; nil: nothing has to be.
	Undo func(ctx context.Context) (did string, err error)
}

// Run does steps until one fails. What was done before that stays: the same steps go on from there.
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
