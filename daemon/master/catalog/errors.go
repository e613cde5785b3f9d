package catalog

import (
	"errors"

	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/ipam/tag"
)

// ignoreTaken passes over what a leader meets when it applies its own commit: the number or address is taken already,
// by the very request that it commits. Outside the range is no error either: ranges may shrink around what is in use.
func ignoreTaken(err error) error {
	if errors.Is(err, ipam.ErrInUse) || errors.Is(err, ipam.ErrReserved) || errors.Is(err, ipam.ErrOutOfRange) ||
		errors.Is(err, tag.ErrInUse) || errors.Is(err, tag.ErrOutOfRange) {
		return nil
	}
	return err
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
