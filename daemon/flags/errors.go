// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"errors"
	"slices"
)

// All runs all checks, and returns their errors, one per line.
func All(checks ...func() error) error {
	var all []error
	for _, check := range checks {
		all = append(all, check())
	}
	return errors.Join(all...)
}

// ExitCode returns the exit code of a daemon whose configuration has errors: 1 if the machine only lacks what may come, such as an
// interface, else ExitConfig.
func ExitCode(err error) int {
	if slices.ContainsFunc(joined(err), func(one error) bool { return !errors.Is(one, ErrAbsent) }) {
		return ExitConfig
	}
	return 1
}

// joined returns the errors that errors.Join has put together.
func joined(err error) (out []error) {
	var join interface{ Unwrap() []error }
	if !errors.As(err, &join) || errors.Join(join.Unwrap()...).Error() != err.Error() {
		return []error{err}
	}
	for _, one := range join.Unwrap() {
		out = append(out, joined(one)...)
	}
	return out
}
